//! The archive of a log: a ZIP file, to which a run appends as its samples end.

use std::fs::File;
use std::io::{BufReader, Read as _};

use zip::{CompressionMethod, ZipArchive};

use super::super::super::json::Json;
use super::super::super::jsonl::MAX_LINE;
use super::super::format::SourceText;
use super::super::values::parsed;

/// An archive, read sample by sample.
pub(super) struct Archive {
    zip: ZipArchive<BufReader<File>>,
    samples: Vec<String>,
}

impl Archive {
    pub(super) fn open(source: &SourceText) -> Result<Self, String> {
        let file = source.reopen().map_err(|error| format!("it cannot be read: {error}"))?;
        let zip = ZipArchive::new(BufReader::new(file)).map_err(|error| match error {
            zip::result::ZipError::InvalidArchive(_) => {
                "its end is missing: the run that writes it has not ended".into()
            }
            error => format!("its archive cannot be read: {error}"),
        })?;
        let is_sample = |name: &String| name.starts_with("samples/") && name.ends_with(".json");
        let samples = names(&zip).filter(is_sample).collect();
        Ok(Self { zip, samples })
    }

    /// What tells of the whole run. A run that has not ended has only what it started with.
    pub(super) fn head(&mut self) -> Result<Json, String> {
        let names: Vec<String> = names(&self.zip).collect();
        let is_there = |name: &&str| names.iter().any(|known| known == name);
        let name = ["header.json", "_journal/start.json"].into_iter().find(is_there);
        self.read(name.ok_or("it has neither header.json nor _journal/start.json")?)
    }

    pub(super) fn samples(&self) -> usize {
        self.samples.len()
    }

    pub(super) fn name(&self, index: usize) -> &str {
        self.samples.get(index).map_or("", String::as_str)
    }

    pub(super) fn sample(&mut self, index: usize) -> Result<Json, String> {
        let name = self.name(index).to_owned();
        self.read(&name)
    }

    fn read(&mut self, name: &str) -> Result<Json, String> {
        let packed = |error: &dyn std::fmt::Display| format!("{name} cannot be unpacked: {error}");
        let index = self.zip.index_for_name(name).ok_or_else(|| packed(&"it is not there"))?;
        let method = self.zip.by_index_raw(index).map_err(|error| packed(&error))?.compression();
        let mut text = String::new();
        let read = if method == CompressionMethod::ZSTD {
            // Newer logs are packed so; the library leaves that to us.
            let raw = self.zip.by_index_raw(index).map_err(|error| packed(&error))?;
            zstd::Decoder::new(raw).and_then(|entry| entry.take(MAX_LINE).read_to_string(&mut text))
        } else {
            let entry = self.zip.by_index(index).map_err(|error| packed(&error))?;
            entry.take(MAX_LINE).read_to_string(&mut text)
        };
        if read.map_err(|error| packed(&error))? as u64 == MAX_LINE {
            return Err(format!("{name} is longer than {MAX_LINE} bytes"));
        }
        parsed(text).map_err(|fault| format!("{name} is no JSON: {fault} (byte {})", fault.offset + 1))
    }
}

/// The names of what is in the archive, as far as they are names.
fn names(zip: &ZipArchive<BufReader<File>>) -> impl Iterator<Item = String> + '_ {
    zip.file_names().filter_map(|name| name.ok().map(|name| name.into_owned()))
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    /// How an entry is packed.
    #[derive(Clone, Copy)]
    enum Packed {
        Not,
        Zstd,
    }

    /// An archive with these entries: the library cannot write those that newer logs have.
    fn zip(entries: &[(&str, &str, Packed)]) -> Vec<u8> {
        let (mut file, mut directory) = (Vec::new(), Vec::new());
        for (name, text, packed) in entries {
            let (method, bytes) = match packed {
                Packed::Not => (0_u16, text.as_bytes().to_vec()),
                Packed::Zstd => (93, zstd::encode_all(Cursor::new(text), 1).unwrap()),
            };
            let mut crc = flate2::Crc::new();
            crc.update(text.as_bytes());
            let mut about = vec![20, 0, 0, 0];
            about.extend(method.to_le_bytes());
            about.extend([0; 4]);
            for number in [crc.sum(), bytes.len() as u32, text.len() as u32] {
                about.extend(number.to_le_bytes());
            }
            about.extend((name.len() as u16).to_le_bytes());
            about.extend([0; 2]);
            let offset = file.len() as u32;
            file.extend(b"PK\x03\x04".iter().chain(&about).chain(name.as_bytes()).chain(&bytes));
            directory.extend(b"PK\x01\x02\x14\0".iter().chain(&about));
            directory.extend([0; 10]);
            directory.extend(offset.to_le_bytes().iter().chain(name.as_bytes()));
        }
        let start = file.len() as u32;
        file.extend(&directory);
        file.extend(b"PK\x05\x06\0\0\0\0");
        for number in [entries.len() as u16; 2] {
            file.extend(number.to_le_bytes());
        }
        for number in [directory.len() as u32, start] {
            file.extend(number.to_le_bytes());
        }
        file.extend([0; 2]);
        file
    }

    fn open(bytes: &[u8]) -> Result<Archive, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log.eval");
        std::fs::write(&path, bytes).unwrap();
        Archive::open(&SourceText { path, ..SourceText::of("log.eval", "") })
    }

    #[test]
    fn entries_that_are_packed_with_zstd_are_read() {
        let bytes =
            zip(&[("samples/1_epoch_1.json", r#"{"id":1,"x":NaN}"#, Packed::Zstd), ("header.json", "{}", Packed::Not)]);
        let mut archive = open(&bytes).unwrap();
        assert_eq!((archive.samples(), archive.head().unwrap().text()), (1, "{}"));
        assert_eq!(archive.sample(0).unwrap().text(), r#"{"id":1,"x":null}"#);
    }

    #[test]
    fn a_run_that_has_not_ended_has_its_start() {
        let mut archive = open(&zip(&[("_journal/start.json", r#"{"eval":{}}"#, Packed::Not)])).unwrap();
        assert_eq!((archive.samples(), archive.head().unwrap().text()), (0, r#"{"eval":{}}"#));
    }

    #[test]
    fn damage_is_told_and_no_panic() {
        let bytes = zip(&[("header.json", "{}", Packed::Not), ("samples/1.json", "{\"id\"", Packed::Zstd)]);
        assert!(open(&bytes[..bytes.len() - 30]).err().unwrap().contains("its end is missing"));
        let mut archive = open(&bytes).unwrap();
        assert!(archive.sample(0).unwrap_err().contains("samples/1.json is no JSON"));
        let mut broken = bytes.clone();
        broken[bytes.iter().position(|byte| *byte == b'{').unwrap()] = b'}';
        assert!(open(&broken).unwrap().head().unwrap_err().contains("cannot be unpacked"));
    }
}
