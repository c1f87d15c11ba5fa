//! Reading over the plain part of a text, eight bytes at once.

/// How many bytes at the start of a text can just be read over: none of them ends it, escapes something or is a
/// control character.
pub(super) fn plain_run(bytes: &[u8]) -> usize {
    const ONES: u64 = u64::MAX / 0xFF;
    const HIGH: u64 = ONES << 7;
    let mut run = 0;
    let (words, _) = bytes.as_chunks::<8>();
    for word in words {
        // Eight bytes at once. Subtracting borrows out of a byte that is below the bound and sets its high bit; a
        // borrow can mark a byte above it wrongly, so only the lowest mark counts.
        let word = u64::from_le_bytes(*word);
        let zero_where = |byte: u8| word ^ (ONES * u64::from(byte));
        let below = |word: u64, bound: u64| word.wrapping_sub(ONES * bound) & !word;
        let marks = (below(word, 0x20) | below(zero_where(b'"'), 1) | below(zero_where(b'\\'), 1)) & HIGH;
        if marks != 0 {
            return run + (marks.trailing_zeros() / 8) as usize;
        }
        run += 8;
    }
    run + bytes[run..].iter().take_while(|byte| !matches!(byte, 0..0x20 | b'"' | b'\\')).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eight_bytes_at_once_see_what_one_by_one_sees() {
        let mut bytes = [b'a'; 40];
        for at in 0..bytes.len() {
            for byte in 0..=u8::MAX {
                for after in [b'a', 0, 0x1F, 0x80, 0xFF, b'"', b'\\'] {
                    bytes[at] = byte;
                    bytes[(at + 1).min(39)] = after;
                    let one_by_one = bytes.iter().position(|byte| matches!(byte, 0..0x20 | b'"' | b'\\'));
                    assert_eq!(plain_run(&bytes), one_by_one.unwrap_or(bytes.len()), "{byte} at {at}");
                }
            }
            bytes.fill(b'a');
        }
    }
}
