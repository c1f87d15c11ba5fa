//! Where the larger lists and objects of a text stand.

use std::ops::Range;

/// The spans of the larger lists and objects of a text, by where they start. Who looks for the parts of one steps over
/// the others instead of reading them again at each level.
#[derive(Clone, Debug)]
pub(super) struct Marks(Vec<Mark>);

#[derive(Clone, Copy, Debug)]
struct Mark {
    from: u32,
    /// 0 while it is open.
    to: u32,
}

/// What is shorter, in bytes, is read over as fast as it is looked up.
const SHORTEST: usize = 64;

impl Marks {
    /// No marks yet, with room for those that a text of so many bytes mostly has.
    pub(super) fn for_text(bytes: usize) -> Self {
        Self(Vec::with_capacity((bytes / (2 * SHORTEST)).min(64)))
    }

    /// A container starts here. Those that start later stand in it or after it.
    pub(super) fn open(&mut self, from: usize) {
        // What starts beyond 4 GiB has no mark and is read over.
        if let Ok(from) = u32::try_from(from) {
            self.0.push(Mark { from, to: 0 });
        }
    }

    /// The innermost container that is still open ends here.
    pub(super) fn close(&mut self, span: Range<usize>) {
        // Short ones inside of it are gone already, so a short one is the last.
        if span.len() < SHORTEST {
            self.0.pop_if(|mark| mark.from as usize == span.start);
        } else if let (Some(at), Ok(to)) = (self.find(span.start), u32::try_from(span.end)) {
            self.0[at].to = to;
        }
    }

    /// Where the container that starts here ends, if it is known.
    pub(super) fn end(&self, from: usize) -> Option<usize> {
        let to = self.0[self.find(from)?].to;
        (to > 0).then_some(to as usize)
    }

    fn find(&self, from: usize) -> Option<usize> {
        self.0.binary_search_by_key(&from, |mark| mark.from as usize).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::super::check::check_and_mark;

    #[test]
    fn each_long_container_is_marked_with_its_end() {
        let long = "x".repeat(super::SHORTEST);
        let text = format!(r#" {{"a":[{{"b":"{long}"}},[],{{"c":1}}],"d":{{}},"e":["{long}"]}} "#);
        let (span, marks) = check_and_mark(&text).unwrap();
        assert_eq!(marks.end(span.start), Some(span.end));
        let mut open = Vec::new();
        for (at, byte) in text.bytes().enumerate() {
            match byte {
                b'{' | b'[' => open.push(at),
                b'}' | b']' => {
                    let from = open.pop().unwrap();
                    let is_long = at + 1 - from >= super::SHORTEST;
                    assert_eq!(marks.end(from), is_long.then_some(at + 1), "{from}");
                }
                _ => {}
            }
        }
    }
}
