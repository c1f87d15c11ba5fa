//! Calls that wait for their results.
//!
//! Ids of calls are no keys: real traffic has calls without any, with empty ones, and with one id for several calls of
//! a conversation. So a result goes to a call that is open still: first by id, then by name, then to the one that has
//! waited longest.

/// The calls that wait, by their numbers in the order they were made.
#[derive(Debug, Default)]
pub(super) struct OpenCalls(Vec<OpenCall>);

#[derive(Debug)]
struct OpenCall {
    number: usize,
    id: Option<String>,
    name: String,
}

impl OpenCalls {
    /// A call was made.
    pub(super) fn made(&mut self, number: usize, id: Option<&str>, name: &str) {
        let id = id.filter(|id| !id.is_empty()).map(str::to_owned);
        self.0.push(OpenCall { number, id, name: name.to_owned() });
    }

    /// The call that a result belongs to, which waits no more. A result with an id that no open call has may be one
    /// that a recorder renamed: it is matched by name, or goes to the only call that waits; but never to a call of another
    /// name.
    pub(super) fn answered(&mut self, id: Option<&str>, name: Option<&str>) -> Option<usize> {
        let id = id.filter(|id| !id.is_empty());
        let name = name.filter(|name| !name.is_empty());
        let has_name = |call: &OpenCall| name.is_none_or(|name| name == call.name);
        let by_id = |call: &OpenCall| id.is_some() && call.id.as_deref() == id;
        let at = self.0.iter().position(|call| by_id(call) && has_name(call));
        let at = at.or_else(|| self.0.iter().position(by_id));
        let is_alone = self.0.len() == 1;
        let has_no_other_id = |call: &OpenCall| id.is_none() || name.is_some() || call.id.is_none() || is_alone;
        let at = at.or_else(|| self.0.iter().position(|call| has_name(call) && has_no_other_id(call)))?;
        Some(self.0.remove(at).number)
    }

    /// No call waits any more: what comes later belongs to others.
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(calls: &[(Option<&str>, &str)]) -> OpenCalls {
        let mut open = OpenCalls::default();
        for (number, (id, name)) in calls.iter().enumerate() {
            open.made(number, *id, name);
        }
        open
    }

    #[test]
    fn a_result_goes_to_the_open_call_of_its_id() {
        let mut calls = open(&[(Some("1"), "a"), (Some("2"), "b"), (Some("1"), "c")]);
        assert_eq!(calls.answered(Some("2"), None), Some(1));
        assert_eq!(calls.answered(Some("1"), Some("c")), Some(2), "of equal ids the one with the name");
        assert_eq!(calls.answered(Some("1"), None), Some(0));
        assert_eq!(calls.answered(Some("1"), None), None);
    }

    #[test]
    fn without_an_id_the_name_decides_and_then_the_order() {
        let mut calls = open(&[(None, "a"), (Some(""), "b"), (None, "a")]);
        assert_eq!(calls.answered(None, Some("b")), Some(1));
        assert_eq!(calls.answered(Some("adk-1"), Some("a")), Some(0));
        assert_eq!(calls.answered(None, None), Some(2));
    }

    #[test]
    fn a_result_with_the_id_of_no_open_call_takes_none_by_guessing() {
        let mut calls = open(&[(Some("1"), "a"), (Some("2"), "b")]);
        assert_eq!(calls.answered(Some("9"), None), None);
        assert_eq!(calls.answered(Some("9"), Some("c")), None);
        assert_eq!(calls.answered(Some("9"), Some("b")), Some(1));
        assert_eq!(calls.answered(Some("9"), None), Some(0), "it can belong to no other");
    }
}
