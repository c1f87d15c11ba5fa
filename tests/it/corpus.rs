//! Recordings of real agents that are kept beside the project and are no part of it.

use std::path::{Path, PathBuf};

use serde_json::Value;
use yaml_rust2::{Yaml, YamlLoader};

/// A file or folder of the shared material, `None` where this machine does not have it. The test then says so.
pub fn shared(path: &str) -> Option<PathBuf> {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared");
    let folder = std::env::var_os("TAKETWO_SHARED").map_or_else(beside, PathBuf::from);
    let found = folder.join(path);
    if found.exists() {
        return Some(found);
    }
    println!("skipped: there is no {} (set TAKETWO_SHARED)", found.display());
    None
}

/// The files below a folder whose names end so, in the order of their paths.
pub fn files(folder: &Path, ends: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if ends.iter().any(|end| path.to_string_lossy().ends_with(end)) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// The documents of a file of YAML, JSON or JSON lines; none where it is something else.
pub fn documents(path: &Path) -> Vec<Value> {
    let Ok(text) = std::fs::read_to_string(path) else { return Vec::new() };
    if path.extension().is_some_and(|end| end == "yaml" || end == "yml") {
        let documents = YamlLoader::load_from_str(&text).unwrap_or_default();
        return documents.iter().map(json_of).collect();
    }
    match serde_json::from_str(&text) {
        Ok(value) => vec![value],
        Err(_) => text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect(),
    }
}

fn json_of(yaml: &Yaml) -> Value {
    match yaml {
        Yaml::Hash(members) => {
            let members = members.iter().filter_map(|(key, value)| Some((key.as_str()?.to_owned(), json_of(value))));
            Value::Object(members.collect())
        }
        Yaml::Array(items) => items.iter().map(json_of).collect(),
        Yaml::String(text) => text.as_str().into(),
        Yaml::Boolean(boolean) => (*boolean).into(),
        Yaml::Integer(number) => (*number).into(),
        Yaml::Real(number) => serde_json::from_str(number).unwrap_or(Value::Null),
        _ => Value::Null,
    }
}
