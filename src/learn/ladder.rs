//! The ways of comparing that accept what varies at a place, from the narrowest to the widest.

use super::contrast::Contrast;
use super::judge::{Bounds, Chosen, Doubt, LastResort, Standing, WhyNot};
use super::look::Look;
use super::places::Place;
use super::{lines, suite_block};
use crate::compare::{How, TextPattern};
use crate::recording::Kind;
use crate::verdict::counted;

/// One difference in so many may stand in what the user said by chance.
const CHANCE: u64 = 10;

/// All ways that accept what was seen to vary, the narrowest first.
pub(super) fn ladder(path: &str, place: &Place, bounds: &Bounds) -> Result<Vec<Chosen>, WhyNot> {
    let contrast = &place.contrast;
    if contrast.alone.count > 0 && path.ends_with(']') && !path.ends_with("\"]") {
        return Err(WhyNot::Items);
    }
    let is_said = contrast.said * CHANCE > contrast.differences;
    if is_said && contrast.alone.count > contrast.alone.nulls {
        return Err(WhyNot::Said);
    }
    let presence = presence(contrast);
    if contrast.both == 0 {
        return Ok(presence.into_iter().collect());
    }
    let mut ladder: Vec<Chosen> = equivalence(contrast).into_iter().collect();
    let is_made = contrast.forms.universal_ids().is_some() || contrast.forms.are_random();
    let problem = if is_said {
        Some(WhyNot::Said)
    } else if !is_made && contrast.referred < contrast.both && contrast.distinct.are_few() {
        Some(WhyNot::AFewValues)
    } else {
        None
    };
    match problem {
        Some(why) if ladder.is_empty() => return Err(why),
        Some(_) => {}
        None => {
            // What came out of an earlier result is best known by that, whatever else could be said of it.
            ladder.splice(0..0, reference(contrast));
            ladder.extend(hiding(place, bounds));
        }
    }
    Ok(match presence {
        None => ladder,
        Some(presence) => ladder.into_iter().map(|value| together(value, &presence)).collect(),
    })
}

/// A way of comparing values where there are any, and what it means where there is none.
fn together(value: Chosen, presence: &Chosen) -> Chosen {
    if matches!(value.hows.first(), Some(How::Ignore)) {
        return value;
    }
    let hows = value.hows.into_iter().chain(presence.hows.iter().cloned()).collect();
    let standing = if value.standing == Standing::Proposed { presence.standing } else { value.standing };
    Chosen { hows, standing, why: format!("{}; {}", value.why, presence.why) }
}

/// What it means where a side has nothing.
fn presence(contrast: &Contrast) -> Option<Chosen> {
    let alone = &contrast.alone;
    let of = counted(alone.count, "difference");
    if alone.count == 0 {
        return None;
    }
    if alone.nulls == alone.count {
        return Some(proposed(How::NullIsAbsent, format!("in {of} null stands on one side and nothing on the other")));
    }
    if let Some(json) = alone.same().filter(|json| suite_block::value(json).is_some()) {
        let is_word = json.kind() == Kind::String && json.as_str().is_some_and(|text| !text.is_empty());
        let why = format!("in {of} the same value stands on one side and nothing on the other");
        let standing = if is_word { Standing::CommentedOut(Doubt::AbsentMeansWord) } else { Standing::Proposed };
        return Some(Chosen { standing, ..proposed(How::Default(json.clone()), why) });
    }
    let is_choice = contrast.distinct.are_few();
    let why = format!("in {of} it stands on one side alone, and not always with one value");
    let standing = if is_choice { Standing::CommentedOut(Doubt::AbsentMeansWord) } else { Standing::Proposed };
    Some(Chosen { standing, ..proposed(How::Optional, why) })
}

fn reference(contrast: &Contrast) -> Option<Chosen> {
    let all = contrast.referred == contrast.both && contrast.alone.count == 0;
    let why = "both values came out of the same place of an earlier result";
    all.then(|| proposed(How::Reference, why.into()))
}

fn equivalence(contrast: &Contrast) -> Option<Chosen> {
    let words = contrast.equivalence()?;
    let hows = words.iter().map(|word| How::from_parts(word, None)).collect::<Result<Vec<_>, _>>().ok()?;
    let why = match words {
        ["caseless"] => "they differ in upper and lower case alone",
        ["trim"] => "they differ in white space around them alone",
        ["bag"] => "they are the same items in another order",
        ["set"] => "they are the same items, in another order and not as often each",
        _ => "they differ in case and in white space around them alone",
    };
    Some(Chosen { hows, standing: Standing::Proposed, why: why.into() })
}

/// Ways that hide which of many values stands there, the narrowest first.
fn hiding(place: &Place, bounds: &Bounds) -> Vec<Chosen> {
    let Place { look, contrast } = place;
    if contrast.kinds > 0 {
        let standing = match bounds.last_resort {
            LastResort::Proposed => Standing::Proposed,
            LastResort::CommentedOut => Standing::CommentedOut(Doubt::LooksAway),
        };
        let why = format!("{} change the type, so no narrower rule holds", counted(contrast.kinds, "difference"));
        return vec![Chosen { standing, ..proposed(How::Ignore, why) }];
    }
    let mut ladder = Vec::new();
    ladder.extend(by_time(contrast));
    ladder.extend(by_tolerance(contrast));
    ladder.extend(by_pattern(contrast));
    ladder.push(by_type(look, contrast));
    let may_be_reference = contrast.of_unknown_origin > 0 && look.values > 0 && look.referred * 10 >= look.values * 9;
    if may_be_reference {
        ladder.iter_mut().for_each(|chosen| chosen.standing = Standing::CommentedOut(Doubt::MayBeReference));
    }
    ladder
}

/// Times: within a window, or where they are the time of the call, any time.
fn by_time(contrast: &Contrast) -> Vec<Chosen> {
    let (forms, times) = (&contrast.forms, &contrast.times);
    let made = forms.times();
    if times.count < contrast.both || contrast.cut > 0 || (made.is_none() && !forms.are_epochs()) {
        return Vec::new();
    }
    let is_now = times.by_the_clock * 10 >= times.count * 9;
    let widest = lines::time(times.widest);
    let mut ladder = Vec::new();
    if !is_now && let Some(window) = times.window() {
        ladder.push(proposed(How::Window(window), format!("times, the widest {widest} apart")));
    }
    let why = match is_now {
        true => "times of about when the interaction was recorded, so a window would not hold for long".to_owned(),
        false => format!("times, the widest {widest} apart, which is too much for a window"),
    };
    let any_time = match &made {
        Some(making) => TextPattern::new(&making.pattern).ok().map(How::Regex),
        None => Some(How::Type),
    };
    ladder.extend(any_time.map(|how| proposed(how, why)));
    let is_day = made.is_some_and(|making| making.what == "days");
    if is_day && !is_now {
        ladder.iter_mut().for_each(|chosen| chosen.standing = Standing::CommentedOut(Doubt::Days));
    }
    ladder
}

fn by_tolerance(contrast: &Contrast) -> Option<Chosen> {
    let numbers = &contrast.numbers;
    let are_measures = numbers.count == contrast.both && numbers.with_fraction > 0;
    let band = numbers.band().filter(|_| are_measures)?;
    let why =
        format!("numbers, the farthest {} apart ({} of the larger)", numbers.widest.normalize(), numbers.percent());
    Some(proposed(How::Tolerance(band), why))
}

fn by_pattern(contrast: &Contrast) -> Option<Chosen> {
    let making = contrast.forms.ids().filter(|_| contrast.cut == 0)?;
    let pattern = TextPattern::new(&making.pattern).ok()?;
    let from_results = match (contrast.of_unknown_origin, contrast.referred) {
        (0, 0) => "; none came out of an earlier result".to_owned(),
        (0, all) if all == contrast.both => "; under `reference` others would differ that are equal".to_owned(),
        (0, some) => format!("; {some} of {} came out of an earlier result", contrast.both),
        _ => String::new(),
    };
    Some(proposed(How::Regex(pattern), format!("all are {}{from_results}", making.what)))
}

fn by_type(look: &Look, contrast: &Contrast) -> Chosen {
    let forms = &contrast.forms;
    let (standing, why) = if look.are_counters() && forms.are_whole() {
        (Standing::Proposed, "whole numbers that rise with each interaction".to_owned())
    } else if forms.are_random() && contrast.cut == 0 {
        (Standing::Proposed, "values that no one chooses, without a pattern that all match".to_owned())
    } else if contrast.numbers.count == contrast.both {
        let why = format!("numbers, up to {} of the larger apart, too far for a tolerance", contrast.numbers.percent());
        (Standing::CommentedOut(Doubt::Numbers), why)
    } else {
        (Standing::CommentedOut(Doubt::Words), "values without a pattern that all match".to_owned())
    };
    Chosen { standing, ..proposed(How::Type, why) }
}

/// What the shape of values alone says, nothing having been repeated.
pub(super) fn by_shape(look: &Look, bounds: &Bounds) -> Option<Chosen> {
    if look.interactions < bounds.min_support.max(2) || look.said * CHANCE > look.values {
        return None;
    }
    let nearly_all = |count: u64| count * 10 >= look.values * 9;
    let of = format!("all {} values", look.values);
    let made_anew = look.distinct.are_nearly_all_new();
    let (how, why) = if nearly_all(look.referred) {
        let why =
            format!("{} of {} values stand in an earlier result of their interaction", look.referred, look.values);
        (How::Reference, why)
    } else if let Some(making) = look.forms.universal_ids().filter(|_| made_anew) {
        (How::Regex(TextPattern::new(&making.pattern).ok()?), format!("{of} are {}, nearly each its own", making.what))
    } else if nearly_all(look.by_the_clock) && (look.forms.times().is_some() || look.forms.are_epochs()) {
        let how = match look.forms.times() {
            Some(making) => How::Regex(TextPattern::new(&making.pattern).ok()?),
            None => How::Type,
        };
        (how, format!("{of} are times of about when their interaction was recorded"))
    } else if look.are_counters() {
        (How::Type, format!("{of} are whole numbers that rise with each interaction"))
    } else if look.forms.are_random() && look.forms.are_texts() && made_anew {
        let pattern = look.forms.ids().and_then(|making| TextPattern::new(&making.pattern).ok());
        (pattern.map_or(How::Type, How::Regex), format!("{of} look drawn by lot, nearly each its own"))
    } else {
        return None;
    };
    Some(Chosen { standing: Standing::CommentedOut(Doubt::ShapeAlone), ..proposed(how, why) })
}

fn proposed(how: How, why: String) -> Chosen {
    Chosen { hows: vec![how], standing: Standing::Proposed, why }
}
