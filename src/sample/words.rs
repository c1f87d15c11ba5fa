//! The pieces of a user's text: words, numbers and the names of things.

use unicode_normalization::UnicodeNormalization;

/// A user's text, taken apart.
#[derive(Clone, Debug, Default)]
pub(super) struct Pieces {
    /// Words in lower case, letters and digits only.
    pub words: Vec<String>,
    /// The text in lower case, spaces and signs between words made one space.
    pub spoken: String,
    /// Order numbers: four to twelve digits.
    pub orders: Vec<String>,
    /// E-mail addresses, in lower case.
    pub emails: Vec<String>,
    /// Article numbers such as `LAMP-02`.
    pub skus: Vec<String>,
    /// Parcel numbers such as `PX-204-991`.
    pub parcels: Vec<String>,
    /// Numbers with a point, such as `46.45` or `2.10`.
    pub decimals: Vec<String>,
    /// Whole numbers of up to three digits.
    pub counts: Vec<String>,
    /// Paths of files, as they were written.
    pub paths: Vec<String>,
    /// The first sum, such as `3 * 19.99`.
    pub sum: Option<String>,
}

impl Pieces {
    /// Takes a text apart.
    pub(super) fn of(text: &str) -> Self {
        // A combining accent is no letter, the letter with its accent is.
        let text: &str = &text.nfc().collect::<String>();
        let mut pieces = Self { sum: sum(text), ..Self::default() };
        let lower = text.to_lowercase().replace('%', " percent ");
        pieces.words =
            lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_owned).collect();
        pieces.spoken = pieces.words.join(" ");
        for piece in text.split(|c: char| !(c.is_alphanumeric() || "._@+-/".contains(c))) {
            let piece = piece.trim_end_matches(|c| "._@+-/".contains(c));
            // A path may begin with dots.
            let is_path = piece.starts_with("../") || piece.starts_with('/');
            pieces.take(if is_path { piece } else { piece.trim_start_matches(|c| "._@+-/".contains(c)) });
        }
        pieces
    }

    fn take(&mut self, piece: &str) {
        if is_path(piece) {
            return push(&mut self.paths, piece);
        }
        if piece.contains('@') {
            return push(&mut self.emails, &piece.to_lowercase());
        }
        if let Some((head, tail)) = piece.split_once('-')
            && head.len() >= 2
            && head.chars().all(|c| c.is_ascii_alphabetic())
            && tail.starts_with(|c: char| c.is_ascii_digit())
        {
            let known = if tail.contains('-') { &mut self.parcels } else { &mut self.skus };
            return push(known, &piece.to_uppercase());
        }
        // What is written without spaces between words still has its numbers.
        for number in piece.split(|c: char| !(c.is_ascii_digit() || c == '.')) {
            self.take_number(number.trim_matches('.'));
        }
    }

    fn take_number(&mut self, number: &str) {
        match (number.split_once('.'), number.len()) {
            (_, 0) => {}
            (Some((_, part)), _) if !part.contains('.') => push(&mut self.decimals, number),
            (Some(_), _) => {}
            (None, 4..=12) => push(&mut self.orders, number),
            (None, 1..=3) => push(&mut self.counts, number),
            _ => {}
        }
    }

    /// Whether one of these stands in the text: a word alone, or several words side by side. A word of a script
    /// that knows no spaces may stand anywhere.
    pub(super) fn any(&self, wanted: &[&str]) -> bool {
        wanted.iter().any(|wanted| {
            if wanted.contains(' ') {
                format!(" {} ", self.spoken).contains(&format!(" {wanted} "))
            } else if wanted.starts_with(|c: char| c > '\u{2E80}') {
                self.spoken.contains(wanted)
            } else {
                self.words.iter().any(|word| word == wanted)
            }
        })
    }
}

fn is_path(piece: &str) -> bool {
    piece.contains("../")
        || (piece.starts_with('/') && piece[1..].contains('/'))
        || piece.starts_with("notes/")
        || piece.ends_with(".txt")
        || piece.ends_with(".csv")
}

fn push(list: &mut Vec<String>, piece: &str) {
    if !list.iter().any(|known| known == piece) {
        list.push(piece.to_owned());
    }
}

/// The first run of digits, signs and spaces that is a sum.
fn sum(text: &str) -> Option<String> {
    let is_part = |c: char| c.is_ascii_digit() || ".()+*/- ".contains(c);
    text.split(|c| !is_part(c)).map(|run| run.trim_matches(|c| " .+*/-".contains(c))).find_map(|run| {
        let (bare, run) = (run.replace(' ', ""), run.trim());
        let adds = |sign: char| {
            let mut sides = bare.split(sign);
            let is_number_like = |side: &str| side.ends_with(|c: char| c.is_ascii_digit() || c == ')');
            sides.next().is_some_and(is_number_like)
                && sides.next().is_some_and(|side| side.starts_with(|c: char| c.is_ascii_digit() || c == '('))
        };
        // A minus or a slash needs spaces, or dates and pairs of order numbers would be sums.
        let spaced = |sign: &str| run.contains(&format!(" {sign} ")) && adds(sign.chars().next().unwrap_or(' '));
        (adds('*') || adds('+') || spaced("-") || spaced("/")).then(|| run.to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_taken_apart() {
        let pieces =
            Pieces::of("Refund 46.45 for #1002, my LAMP-02 (px-204-991) - Ada.Berg@Example.com. See notes/a.txt!");
        assert_eq!(pieces.orders, ["1002"]);
        assert_eq!(pieces.decimals, ["46.45"]);
        assert_eq!(pieces.skus, ["LAMP-02"]);
        assert_eq!(pieces.parcels, ["PX-204-991"]);
        assert_eq!(pieces.emails, ["ada.berg@example.com"]);
        assert_eq!(pieces.paths, ["notes/a.txt"]);
        assert_eq!(pieces.sum, None);
    }

    #[test]
    fn scripts_without_spaces_have_numbers_and_words() {
        let pieces = Pieces::of("注文1002を返金してください");
        assert_eq!(pieces.orders, ["1002"]);
        assert!(pieces.any(&["返金"]));
    }

    #[test]
    fn a_sum_is_told_from_a_date_and_a_pair() {
        assert_eq!(Pieces::of("what is 3 * 19.99?").sum.as_deref(), Some("3 * 19.99"));
        assert_eq!(Pieces::of("(2+3)*4 please").sum.as_deref(), Some("(2+3)*4"));
        assert_eq!(Pieces::of("since 2025-04-02, 1002/1005").sum, None);
        assert_eq!(Pieces::of("price - 2 shirts").sum, None);
    }
}
