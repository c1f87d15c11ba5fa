//! What a misspelt word may have meant.

/// So much alike a word must be to one that it may have meant, from 0 to 1.
const ALIKE: f64 = 0.75;

/// The word that another one is most like, if it is much like any.
pub(crate) fn nearest_word<'w>(text: &str, words: &[&'w str]) -> Option<&'w str> {
    let alike = |word: &str| strsim::jaro_winkler(word, text);
    words.iter().copied().max_by(|a, b| alike(a).total_cmp(&alike(b))).filter(|word| alike(word) > ALIKE)
}

/// The same as the end of a sentence; empty where there is none.
pub(crate) fn did_you_mean(text: &str, words: &[&str]) -> String {
    nearest_word(text, words).map(|word| format!("; did you mean {word}?")).unwrap_or_default()
}
