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
