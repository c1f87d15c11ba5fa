//! Which format a file is of.

use std::io::{BufRead, Cursor, Read as _};

use super::format::{Format, NotThisFormat, Sign, SourceText};
use super::opening::{OPENING, Opening};
use super::{ImportError, formats, table, unreadable};

/// The format of a file with what showed it (`None` where it was named), and the file as if nobody had looked.
pub(super) fn recognise(
    source: SourceText,
    named: Option<&'static Format>,
) -> Result<(&'static Format, Option<String>, SourceText), ImportError> {
    if let Some(format) = named {
        return Ok((format, None, source));
    }
    let SourceText { file, mut text, path } = source;
    let mut bytes = Vec::new();
    if let Err(error) = text.by_ref().take(OPENING as u64).read_to_end(&mut bytes) {
        return Err(unreadable(&error).of(&file, None));
    }
    let columns = table::columns(&path, &bytes);
    let opening = Opening::new(&file, bytes).with_columns(columns);
    let (format, sign) = best(&opening).map_err(|error| error.of(&file, None))?;
    let whole: Box<dyn BufRead + Send> = Box::new(Cursor::new(opening.into_bytes()).chain(text));
    Ok((format, Some(sign), SourceText { file, text: whole, path }))
}

/// The format that fits best: one that is sure, else one that is likely.
fn best(opening: &Opening) -> Result<(&'static Format, String), NotThisFormat> {
    let (mut sure, mut likely) = (Vec::new(), Vec::new());
    for format in formats() {
        match (format.sign)(opening) {
            Some(Sign::Sure(why)) => sure.push((*format, why)),
            Some(Sign::Likely(why)) => likely.push((*format, why)),
            None => {}
        }
    }
    let mut fitting = if sure.is_empty() { likely } else { sure };
    match fitting.len() {
        1 => Ok(fitting.remove(0)),
        0 => Err(NotThisFormat::new(found(opening))),
        _ => {
            let names: Vec<String> = fitting.iter().map(|(format, why)| format!("{} ({why})", format.name)).collect();
            Err(NotThisFormat::new(format!("it can be {}", names.join(" or "))))
        }
    }
}

/// What there is instead of a format that is known.
fn found(opening: &Opening) -> String {
    let keys = opening.top_keys();
    if opening.bytes().is_empty() {
        "it is empty".to_owned()
    } else if !keys.is_empty() {
        format!("its fields are {}", keys.iter().take(12).copied().collect::<Vec<_>>().join(", "))
    } else if opening.bytes().contains(&0) {
        "it is no text".to_owned()
    } else {
        let line = opening.text().lines().next().unwrap_or_default().chars().take(60).collect::<String>();
        format!("it starts with {line:?}")
    }
}

/// What to do where a format is not known.
pub(super) fn advice() -> String {
    let names: Vec<&str> = formats().iter().map(|format| format.name).collect();
    format!("name it, as in: taketwo import FORMAT FILE; formats are {}", names.join(", "))
}
