//! The words around a value, which say what a bare number is.

use super::field::snake_case;

/// What the nearest telling word says of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hint {
    /// It is on a payment card.
    Card,
    /// It is a telephone's.
    Phone,
    /// It may be dialled, or it counts the calls of a tool.
    Call,
    /// It names an order, a ticket or another thing.
    Name,
}

const CARD: &[&str] = &[
    "card",
    "cards",
    "cardnumber",
    "ccnumber",
    "cc",
    "pan",
    "visa",
    "mastercard",
    "amex",
    "maestro",
    "diners",
    "credit",
    "debit",
    "creditcard",
    "debitcard",
    "kreditkarte",
    "karte",
    "kartennummer",
    "carte",
    "tarjeta",
    "carta",
    "charge",
];

const PHONE: &[&str] = &[
    "phone",
    "phones",
    "phonenumber",
    "telephone",
    "tel",
    "mobile",
    "cell",
    "cellphone",
    "fax",
    "sms",
    "whatsapp",
    "msisdn",
    "telefon",
    "handy",
    "mobil",
    "rufnummer",
    "telefonnummer",
    "telephonenumber",
    "téléphone",
];

const CALL: &[&str] = &["call", "dial", "callback", "contact"];

const NAME: &[&str] = &[
    "id",
    "ids",
    "order",
    "orders",
    "tracking",
    "invoice",
    "ticket",
    "reference",
    "ref",
    "transaction",
    "confirmation",
    "booking",
    "reservation",
    "shipment",
    "parcel",
    "package",
    "sku",
    "isbn",
    "ean",
    "gtin",
    "imei",
    "serial",
    "uuid",
    "hash",
    "commit",
    "sha",
    "version",
    "build",
    "item",
    "product",
    "article",
    "case",
    "timestamp",
    "time",
    "epoch",
    "nonce",
    "seed",
    "index",
    "offset",
    "size",
    "count",
    "price",
    "amount",
    "total",
    "bestellung",
    "rechnung",
    "auftrag",
    "sendung",
];

fn hint(word: &str) -> Option<Hint> {
    let is = |words: &[&str]| words.contains(&word);
    let lists = [(CARD, Hint::Card), (PHONE, Hint::Phone), (CALL, Hint::Call), (NAME, Hint::Name)];
    lists.into_iter().find(|(words, _)| is(words)).map(|(_, hint)| hint)
}

/// How far before a number a word still speaks of it, in bytes.
const REACH: usize = 48;

/// What the text before a place says of what stands there: its nearest telling word.
pub(super) fn before(text: &str, at: usize) -> Option<Hint> {
    let mut from = at.saturating_sub(REACH);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    let words = text[from..at].split(|c: char| !c.is_alphabetic());
    words.rev().filter(|word| !word.is_empty()).find_map(|word| of_field(&snake_case(word)))
}

/// What the name of a field says of its value, the name written as `card_number`. A card or telephone that the name
/// speaks of outweighs the `id` at its end.
pub(super) fn of_field(name: &str) -> Option<Hint> {
    let hints: Vec<Hint> = name.split('_').filter_map(hint).collect();
    let is_sure = |hint: &&Hint| matches!(hint, Hint::Card | Hint::Phone);
    hints.iter().find(is_sure).or(hints.last()).copied()
}

/// Whether no word, number or name goes on before or after a range.
pub(super) fn stands_apart(text: &str, from: usize, to: usize) -> bool {
    starts_apart(text, from) && ends_apart(text, to)
}

/// Whether a word can start here: what is before is no part of it. An escaped line break, as in `\nword`, is none.
pub(super) fn starts_apart(text: &str, at: usize) -> bool {
    let mut before = text[..at].chars().rev();
    let (last, second) = (before.next(), before.next());
    match last {
        None => true,
        Some('n' | 'r' | 't') if second == Some('\\') => true,
        Some('.' | '-' | ',') => !second.is_some_and(char::is_alphanumeric),
        Some(last) => !last.is_alphanumeric() && last != '_',
    }
}

/// Whether a word can end here.
pub(super) fn ends_apart(text: &str, at: usize) -> bool {
    let mut after = text[at..].chars();
    let (first, second) = (after.next(), after.next());
    match first {
        None => true,
        Some('.') => !second.is_some_and(|c| c.is_ascii_digit()),
        Some('-') => !second.is_some_and(char::is_alphanumeric),
        Some(first) => !first.is_alphanumeric() && first != '_',
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_telling_word_decides() {
        assert_eq!(before("for order 12 charge my card 4", 28), Some(Hint::Card));
        assert_eq!(before("my card paid the order 4", 23), Some(Hint::Name));
        assert_eq!(before("hello 4", 6), None);
        assert_eq!(before("orderId: 4", 9), Some(Hint::Name));
        assert_eq!(of_field("card_id"), Some(Hint::Card));
        assert_eq!(of_field("order_number"), Some(Hint::Name));
    }
}
