//! What a user's words ask for. Plain rules in the place of a model: they can be wrong, and are so in the same way
//! each time.

use super::words::Pieces;
use crate::recording::Json;

/// One thing that the user wants.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Wish {
    /// To know how an order is.
    Look { order: String },
    /// Money back.
    Refund { order: String, part: Part },
    /// The state of an order's parcel.
    Track { order: String },
    /// The state of a parcel whose number is known.
    TrackNumber { parcel: String },
    /// To know when an order's parcel has arrived.
    Watch { order: String },
    /// Another article in the place of an order.
    Exchange { order: String, sku: String },
    /// An order's invoice.
    Invoice { order: String, tax: TaxWish },
    /// What several orders cost together.
    Total { orders: Vec<String> },
    /// A customer's orders.
    List { email: String, then: Listing },
    /// How much of an article there is.
    Stock(Item),
    /// Some of an article to be put aside.
    Reserve { sku: String, quantity: u32 },
    /// What the articles say.
    Articles(Vec<Question>),
    /// What is new in a release.
    Release { version: String },
    /// A file.
    File { path: String },
    /// All notes.
    Notes,
    /// A sum.
    Sum { expression: String },
}

/// A question that an article may answer.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Question {
    /// What is searched for.
    pub query: String,
    /// What is searched for if that finds nothing.
    pub topic: &'static str,
}

/// How much of an order's total is wanted back.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Part {
    Whole,
    /// An amount, as the user wrote it.
    Stated(String),
    /// A share in percent.
    Share(String),
}

/// Whether the tax is to be worked out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TaxWish {
    Listed,
    WorkedOut,
}

/// What is to be done with a list of orders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Listing {
    Show,
    AddUp,
    TrackNewest,
}

/// How an article is named.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Item {
    Sku(String),
    /// The words that may hold its name.
    Named(Vec<String>),
}

/// What the agent's prompt has instructions for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Skill {
    Orders,
    Parcels,
    Shelves,
    Papers,
    Releases,
    Sums,
}

impl Wish {
    /// The skill that it needs.
    pub(super) fn skill(&self) -> Skill {
        match self {
            Wish::Look { .. } | Wish::Refund { .. } | Wish::Exchange { .. } | Wish::List { .. } => Skill::Orders,
            Wish::Track { .. } | Wish::TrackNumber { .. } | Wish::Watch { .. } => Skill::Parcels,
            Wish::Stock(_) | Wish::Reserve { .. } => Skill::Shelves,
            Wish::Articles(_) | Wish::File { .. } | Wish::Notes => Skill::Papers,
            Wish::Release { .. } => Skill::Releases,
            Wish::Invoice { .. } | Wish::Total { .. } | Wish::Sum { .. } => Skill::Sums,
        }
    }
}

const REFUND: &[&str] = &[
    "refund",
    "refunds",
    "refunded",
    "reimburse",
    "money back",
    "erstattung",
    "erstatten",
    "erstattet",
    "geld zurück",
    "rembourser",
    "remboursement",
    "remboursé",
    "reembolso",
    "reembolsar",
    "rimborso",
    "terugbetaling",
    "zwrot",
    "återbetalning",
    "返金",
    "退款",
];
const TRACK: &[&str] = &[
    "where", "track", "tracking", "parcel", "package", "wo", "paket", "où", "colis", "dónde", "paquete", "dove",
    "pacco", "waar", "pakket", "gdzie", "paczka", "var", "どこ", "荷物", "包裹",
];
const WATCH: &[&str] = &["watch", "keep checking", "keep an eye", "until it arrives", "until it is here", "beobachte"];
const EXCHANGE: &[&str] = &["exchange", "swap", "umtauschen", "échanger"];
const INVOICE: &[&str] = &["invoice", "receipt", "bill", "rechnung", "facture", "factura"];
const TAX: &[&str] = &["tax", "vat", "mwst", "tva", "iva"];
const TOTAL: &[&str] = &["total", "together", "altogether", "add up", "sum", "zusammen", "in all"];
const STOCK: &[&str] =
    &["stock", "available", "restock", "restocked", "back in", "left", "lager", "verfügbar", "do you have", "sell"];
const RESERVE: &[&str] = &["reserve", "put aside", "set aside", "hold", "reserviere", "reservieren"];
const RELEASE: &[&str] = &["release", "version", "changelog", "what is new in", "what changed in"];
const NOTES: &[&str] = &["notes"];
const NEWEST: &[&str] = &["newest", "latest", "last order", "most recent"];
const ASKS: &[&str] = &[
    "policy",
    "policies",
    "rules",
    "terms",
    "warranty",
    "guarantee",
    "how",
    "can i",
    "may i",
    "do you",
    "what if",
    "what are",
    "is there",
    "are there",
    "must i",
    "do i",
];
/// Words that ask how things are in general, also where an order is named.
const IN_GENERAL: &[&str] =
    &["policy", "policies", "rules", "terms", "warranty", "how do i", "how do you", "how long", "can i"];
/// The topics that the agent knows, with the words that point to them.
const TOPICS: &[(&str, &[&str])] = &[
    ("returns", &["return", "returns", "returning", "send back", "money back", "refunds"]),
    ("warranty", &["warranty", "guarantee", "defect"]),
    ("shipping", &["shipping", "ship", "deliver", "delivery"]),
    ("payment", &["payment", "pay", "card", "transfer"]),
    ("damage", &["damage", "damaged", "dented"]),
    ("discounts", &["discount", "discounts", "student", "teacher"]),
    ("gifts", &["gift", "gifts", "wrap"]),
    ("privacy", &["privacy", "data", "delete my"]),
    ("accounts", &["account", "accounts"]),
    ("exchanges", &["exchanges", "exchanging", "exchange"]),
    ("terms", &["terms", "conditions", "contract", "withdraw", "withdrawal"]),
    ("contact", &["contact", "reach", "phone"]),
];
/// Words that say nothing about what is looked for.
const FILLERS: &[&str] = &[
    "a", "about", "an", "and", "any", "are", "as", "at", "be", "by", "can", "do", "does", "for", "from", "get", "have",
    "hello", "hey", "hi", "how", "i", "if", "in", "is", "it", "its", "just", "me", "my", "of", "on", "or", "please",
    "question", "so", "tell", "that", "the", "there", "this", "to", "us", "was", "we", "what", "when", "which", "with",
    "would", "you", "your", "thanks", "know", "quick", "s", "t", "m", "must", "may",
];
/// An order that is acted on is named among at most so many.
const MOST_ORDERS: usize = 4;

/// Understands a text, in the light of the conversation before it and of who is signed in.
pub(super) fn understand(text: &str, history: &[String], signed_in: Option<&str>) -> Vec<Wish> {
    let mut pieces = Pieces::of(text);
    pieces.orders.truncate(MOST_ORDERS);
    let acts = pieces.any(REFUND) || pieces.any(TRACK) || pieces.any(WATCH) || pieces.any(INVOICE);
    let is_open = pieces.orders.is_empty() && pieces.emails.is_empty() && pieces.parcels.is_empty();
    if acts && is_open && !pieces.any(ASKS) {
        // "Refund it, please": the order that the conversation named last.
        pieces.orders = history.iter().rev().find_map(|said| Pieces::of(said).orders.pop()).into_iter().collect();
    }
    if pieces.orders.is_empty()
        && pieces.emails.is_empty()
        && pieces.any(&["order", "orders"])
        && let Some(email) = signed_in
    {
        pieces.emails.push(email.to_owned());
    }
    let mut wishes = Vec::new();
    about_orders(&pieces, &mut wishes);
    about_parcels_and_shelves(&pieces, &mut wishes);
    about_papers(&pieces, &mut wishes);
    if let Some(expression) = pieces.sum.clone() {
        wishes.push(Wish::Sum { expression });
    }
    wishes
}

fn about_orders(pieces: &Pieces, wishes: &mut Vec<Wish>) {
    if let [order] = pieces.orders.as_slice() {
        return about_one_order(order, pieces, wishes);
    }
    if !pieces.orders.is_empty() && pieces.any(TOTAL) {
        wishes.push(Wish::Total { orders: pieces.orders.clone() });
    } else if pieces.any(REFUND) && pieces.orders.len() == 2 {
        wishes.extend(pieces.orders.iter().map(|order| Wish::Refund { order: order.clone(), part: Part::Whole }));
    } else {
        wishes.extend(pieces.orders.iter().map(|order| Wish::Look { order: order.clone() }));
    }
    if let (Some(email), true) = (pieces.emails.first(), pieces.orders.is_empty()) {
        let then = match (pieces.any(TOTAL), pieces.any(NEWEST)) {
            (true, _) => Listing::AddUp,
            (false, true) => Listing::TrackNewest,
            (false, false) => Listing::Show,
        };
        wishes.push(Wish::List { email: email.clone(), then });
    }
}

fn about_one_order(order: &str, pieces: &Pieces, wishes: &mut Vec<Wish>) {
    let order = order.to_owned();
    let before = wishes.len();
    match pieces.skus.first() {
        Some(sku) if pieces.any(EXCHANGE) => {
            wishes.push(Wish::Exchange { order: order.clone(), sku: sku.clone() });
        }
        _ if pieces.any(REFUND) => wishes.push(Wish::Refund { order: order.clone(), part: part(pieces) }),
        _ => {}
    }
    if pieces.any(INVOICE) {
        let tax = if pieces.any(TAX) { TaxWish::WorkedOut } else { TaxWish::Listed };
        wishes.push(Wish::Invoice { order: order.clone(), tax });
    }
    if pieces.any(WATCH) {
        wishes.push(Wish::Watch { order });
    } else if pieces.any(TRACK) {
        wishes.push(Wish::Track { order });
    } else if wishes.len() == before {
        wishes.push(Wish::Look { order });
    }
}

fn part(pieces: &Pieces) -> Part {
    let percent = pieces.words.windows(2).find(|pair| ["percent", "prozent"].contains(&pair[1].as_str()));
    if pieces.any(&["half", "hälfte", "moitié"]) {
        Part::Share("50".to_owned())
    } else if let Some(pair) = percent {
        Part::Share(pair[0].clone())
    } else if let Some(amount) = pieces.decimals.first() {
        Part::Stated(amount.clone())
    } else {
        Part::Whole
    }
}

fn about_parcels_and_shelves(pieces: &Pieces, wishes: &mut Vec<Wish>) {
    wishes.extend(pieces.parcels.iter().map(|parcel| Wish::TrackNumber { parcel: parcel.clone() }));
    if pieces.any(EXCHANGE) && pieces.orders.len() == 1 {
        return;
    }
    if pieces.any(RESERVE)
        && let Some(sku) = pieces.skus.first()
    {
        let quantity = pieces.counts.iter().find_map(|count| count.parse().ok()).unwrap_or(1);
        wishes.push(Wish::Reserve { sku: sku.clone(), quantity });
    } else if !pieces.skus.is_empty() {
        wishes.extend(pieces.skus.iter().map(|sku| Wish::Stock(Item::Sku(sku.clone()))));
    } else if pieces.any(STOCK) && names_nothing_else(pieces) {
        wishes.push(Wish::Stock(Item::Named(pieces.words.clone())));
    }
}

fn names_nothing_else(pieces: &Pieces) -> bool {
    pieces.orders.is_empty() && pieces.emails.is_empty() && pieces.paths.is_empty() && topics(pieces).is_empty()
}

fn about_papers(pieces: &Pieces, wishes: &mut Vec<Wish>) {
    let releases = pieces.any(RELEASE) && !pieces.decimals.is_empty();
    if releases {
        wishes.extend(pieces.decimals.iter().map(|version| Wish::Release { version: version.clone() }));
    }
    wishes.extend(pieces.paths.iter().map(|path| Wish::File { path: path.clone() }));
    if pieces.any(NOTES) && pieces.paths.is_empty() && !releases {
        wishes.push(Wish::Notes);
    }
    let topics = topics(pieces);
    let is_about_an_order = !pieces.orders.is_empty() && !pieces.any(IN_GENERAL);
    match topics.as_slice() {
        [] => {}
        _ if !pieces.any(ASKS) || is_about_an_order => {}
        // One question is searched for in the user's own words.
        [topic] => wishes.push(Wish::Articles(vec![Question { query: query(pieces), topic }])),
        _ => {
            let questions = topics.iter().map(|topic| Question { query: format!("{topic} policy"), topic });
            wishes.push(Wish::Articles(questions.collect()));
        }
    }
}

/// The topics that are named, at most two.
fn topics(pieces: &Pieces) -> Vec<&'static str> {
    TOPICS.iter().filter(|(_, words)| pieces.any(words)).map(|(topic, _)| *topic).take(2).collect()
}

/// The words that may find something, at most six.
fn query(pieces: &Pieces) -> String {
    let words = pieces.words.iter().filter(|word| !FILLERS.contains(&word.as_str()) && !is_number(word));
    words.take(6).map(String::as_str).collect::<Vec<_>>().join(" ")
}

fn is_number(word: &str) -> bool {
    word.chars().all(|c| c.is_ascii_digit())
}

/// The text of an input: the input itself, or the member `text` of an object.
pub(super) fn input_text(input: &Json) -> Option<String> {
    let text = input.as_str().map(|text| text.into_owned());
    text.or_else(|| input.member("text").and_then(|text| text.as_str().map(|text| text.into_owned())))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wishes(text: &str) -> Vec<Wish> {
        understand(text, &[], None)
    }

    fn refund(order: &str, part: Part) -> Wish {
        Wish::Refund { order: order.into(), part }
    }

    #[test]
    fn a_refund_is_whole_stated_or_a_share() {
        assert_eq!(wishes("Refund order 1002"), [refund("1002", Part::Whole)]);
        assert_eq!(wishes("I want 12.50 of my money back, order 1002"), [refund("1002", Part::Stated("12.50".into()))]);
        assert_eq!(wishes("refund 30% of 1002"), [refund("1002", Part::Share("30".into()))]);
    }

    #[test]
    fn the_conversation_tells_what_it_is() {
        let history = ["Where is 1004?".to_owned(), "Order 1004 is returned.".to_owned()];
        assert_eq!(understand("Then refund it", &history, None), [refund("1004", Part::Whole)]);
        let list = Wish::List { email: "a@b.de".into(), then: Listing::Show };
        assert_eq!(understand("show my orders", &[], Some("a@b.de")), [list]);
    }

    #[test]
    fn several_wishes_are_all_heard() {
        let all = wishes("Where is order 1002, what is your return policy, and is LAMP-02 in stock?");
        assert!(matches!(all.as_slice(), [Wish::Track { .. }, Wish::Stock(_), Wish::Articles(_)]), "{all:?}");
    }

    #[test]
    fn small_talk_asks_for_nothing() {
        assert_eq!(wishes("hello there, lovely day"), []);
    }
}
