//! Server-sent events, and files with the JSON of one event a line.

use super::super::super::json::{Json, Kind};
use super::super::messages::streams::Events;

/// The events of a text: the `data` of each, or where no line says `data:` the JSON of each line. What is no JSON is no
/// event; a last one that is cut off is left out.
pub(super) fn read(text: &str) -> Events {
    let mut events = Events::default();
    let mut data = String::new();
    let has_fields = text.lines().any(|line| line.starts_with("data:"));
    for line in text.lines() {
        let line = line.strip_suffix('\r').unwrap_or(line);
        match (has_fields, line.strip_prefix("data:")) {
            (true, Some(piece)) => {
                if !data.is_empty() {
                    data.push('\n');
                }
                data.push_str(piece.strip_prefix(' ').unwrap_or(piece));
            }
            (true, None) if line.is_empty() => end(&mut data, &mut events),
            // The names of events are within their data too; comments keep the line open.
            (true, None) => {}
            (false, _) => {
                data.push_str(line);
                end(&mut data, &mut events);
            }
        }
    }
    end(&mut data, &mut events);
    events
}

fn end(data: &mut String, events: &mut Events) {
    if data.trim() == "[DONE]" {
        events.is_marked_done = true;
    } else if let Ok(json) = Json::parse(data.trim())
        && json.kind() == Kind::Object
    {
        events.events.push(json);
    } else if data.contains('\n') {
        // Some leave out the blank line between events: then each line is one.
        let lines = std::mem::take(data);
        lines.lines().for_each(|line| end(&mut line.to_owned(), events));
    }
    data.clear();
}

#[cfg(test)]
mod tests {
    use super::*;

    fn events(text: &str) -> (Vec<String>, bool) {
        let Events { events, is_marked_done } = read(text);
        (events.iter().map(|event| event.text().to_owned()).collect(), is_marked_done)
    }

    #[test]
    fn events_are_read_as_servers_send_them() {
        let text = ": keep-alive\r\nevent: a\r\ndata: {\"a\":\r\ndata: 1}\r\n\r\ndata:{\"b\":2}\r\n\r\ndata: [DONE]";
        assert_eq!(events(text), (vec!["{\"a\":\n1}".into(), "{\"b\":2}".into()], true));
        assert_eq!(events("data: {\"a\":1}\ndata: {\"b\":2}\n").0.len(), 2, "without blank lines");
        assert_eq!(events("data: {\"a\":1}\n\ndata: {\"b\":").0, ["{\"a\":1}"], "the last one is cut off");
    }

    #[test]
    fn lines_of_json_are_events_too() {
        assert_eq!(events("{\"a\":1}\n{\"b\":2}\n[DONE]\n"), (vec!["{\"a\":1}".into(), "{\"b\":2}".into()], true));
        assert_eq!(events("hello"), (vec![], false));
    }
}
