//! One element of the document, written with the indent of its depth.

use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesEnd, BytesStart, BytesText, Event};

/// An element with its attributes.
pub(super) struct Element(BytesStart<'static>);

impl Element {
    pub(super) fn new(name: &'static str) -> Self {
        Self(BytesStart::new(name))
    }

    /// The same with an attribute. The value is escaped.
    pub(super) fn with(mut self, name: &str, value: &str) -> Self {
        self.0.push_attribute((name, value));
        self
    }

    /// Writes it as one that holds nothing.
    pub(super) fn write_empty(&self, depth: usize, text: &mut Vec<u8>) {
        on_line(depth, text);
        write(Event::Empty(self.0.borrow()), text);
    }

    /// Writes its start.
    pub(super) fn write_start(&self, depth: usize, text: &mut Vec<u8>) {
        on_line(depth, text);
        write(Event::Start(self.0.borrow()), text);
    }

    /// Writes its end, on a line of its own.
    pub(super) fn write_end(&self, depth: usize, text: &mut Vec<u8>) {
        on_line(depth, text);
        write(Event::End(self.end()), text);
    }

    /// Writes it around a text, which is escaped and gets no line breaks that it does not have.
    pub(super) fn write_around(&self, said: &str, depth: usize, text: &mut Vec<u8>) {
        self.write_start(depth, text);
        write(Event::Text(BytesText::new(said)), text);
        write(Event::End(self.end()), text);
    }

    fn end(&self) -> BytesEnd<'_> {
        self.0.to_end()
    }
}

/// The first line of a document.
pub(super) fn declaration() -> Vec<u8> {
    let mut text = Vec::new();
    write(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)), &mut text);
    text
}

fn on_line(depth: usize, text: &mut Vec<u8>) {
    text.push(b'\n');
    text.resize(text.len() + 4 * depth, b' ');
}

fn write(event: Event<'_>, text: &mut Vec<u8>) {
    // A vector takes all bytes.
    let _ = Writer::new(text).write_event(event);
}
