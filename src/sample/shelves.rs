//! Shelves: what is in stock, and putting some aside.

use super::changes::Version;
use super::field;
use super::turn::{Answers, Given, ToolUse, Turn};
use super::wishes::Item;
use crate::recording::Json;

/// The file that knows every article by name.
const LIST: &str = "stock.csv";

pub(super) fn stock_of(version: Version, sku: &str) -> ToolUse {
    ToolUse::text(version.stock_tool(), "sku", sku)
}

pub(super) fn reserve_of(sku: &str, quantity: u32) -> ToolUse {
    ToolUse::new("reserve", [("sku", Json::string(sku)), ("quantity", Json::of(&quantity))])
}

fn list() -> ToolUse {
    ToolUse::text("read_file", "path", LIST)
}

pub(super) fn first_of_stock(version: Version, item: &Item) -> ToolUse {
    match item {
        Item::Sku(sku) => stock_of(version, sku),
        Item::Named(_) => list(),
    }
}

/// Says how much of an article there is; one that is named is looked for in the list first.
pub(super) async fn stock(turn: &mut Turn<'_>, item: &Item, answers: &Answers) -> String {
    match item {
        Item::Sku(sku) => match answers.of(&stock_of(turn.version(), sku)) {
            Some(given) => stock_line(sku, given),
            None => format!("I did not look at {sku}."),
        },
        Item::Named(words) => match answers.of(&list()) {
            Some(Ok(file)) => match sku_in_list(&field(file, "text"), words) {
                Some(sku) => {
                    let given = turn.ask(stock_of(turn.version(), &sku)).await;
                    stock_line(&sku, &given)
                }
                None => "I found no such article in our list.".to_owned(),
            },
            Some(Err(error)) => format!("I could not read our list ({}).", error.message),
            None => "I did not read our list.".to_owned(),
        },
    }
}

/// The number of the article whose name has the most words among these, and at least half of its own.
fn sku_in_list(csv: &str, words: &[String]) -> Option<String> {
    let rows = csv.lines().skip(1).filter_map(|row| {
        let (sku, rest) = row.split_once(',')?;
        // The name is followed by two columns that hold no comma.
        let name = rest.rsplitn(3, ',').nth(2)?.to_lowercase();
        let own: Vec<&str> =
            name.split(|c: char| !c.is_alphanumeric()).filter(|word| word.chars().count() > 1).collect();
        let shared = own.iter().filter(|word| words.iter().any(|given| given == *word)).count();
        (shared > 0 && shared * 2 >= own.len()).then(|| (shared, sku.to_owned()))
    });
    // The first among equals, as a person would read the list.
    rows.reduce(|best, row| if row.0 > best.0 { row } else { best }).map(|(_, sku)| sku)
}

fn stock_line(sku: &str, given: &Given) -> String {
    match given {
        Ok(result) => {
            let name = field(result, "name");
            match (field(result, "in_stock").as_str(), result.member("restock_date").filter(|date| !date.is_null())) {
                ("0", Some(date)) => format!("{name} ({sku}) is sold out and comes back on {}.", date.shown()),
                ("0", None) => format!("{name} ({sku}) is sold out, and I know no date for it."),
                (count, _) => format!("{name} ({sku}): {count} in stock."),
            }
        }
        Err(error) => format!("I could not look up {sku} ({}).", error.message),
    }
}

/// Puts some of an article aside if there is enough of it.
pub(super) async fn reserve(turn: &mut Turn<'_>, sku: &str, quantity: u32, answers: &Answers) -> String {
    let known = match answers.of(&stock_of(turn.version(), sku)) {
        Some(given @ Ok(result)) => match field(result, "in_stock").parse::<u32>() {
            Ok(count) if count >= quantity => None,
            _ => Some(format!("{} I cannot put {quantity} aside.", stock_line(sku, given))),
        },
        Some(given) => Some(stock_line(sku, given)),
        None => Some(format!("I did not look at {sku}.")),
    };
    match known {
        Some(sentence) => sentence,
        None => {
            let given = turn.ask(reserve_of(sku, quantity)).await;
            reserved(sku, quantity, &given)
        }
    }
}

pub(super) fn reserved(sku: &str, quantity: u32, given: &Given) -> String {
    match given {
        Ok(_) => format!("I put {quantity} of {sku} aside for you."),
        Err(error) => format!("I could not put {sku} aside ({}).", error.message),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_article_is_found_by_its_name() {
        let csv = "sku,name,in_stock,restock_date\nL-1,Desk lamp,14,\nL-2,\"Floor lamp, brass\",0,2025-07-01\n";
        let find = |text: &str| sku_in_list(csv, &text.split(' ').map(str::to_owned).collect::<Vec<_>>());
        assert_eq!(find("have you the floor lamp").as_deref(), Some("L-2"));
        assert_eq!(find("the desk lamp in brass").as_deref(), Some("L-1"));
        assert_eq!(find("a bicycle"), None);
    }
}
