//! The places that are watched: by tool, and by path with `[*]` for any place in a list.

use std::collections::BTreeMap;

use super::contrast::Contrast;
use super::look::Look;
use crate::recording::ToolName;

/// What was seen at one place.
#[derive(Clone, Debug, Default)]
pub(super) struct Place {
    pub(super) look: Look,
    pub(super) contrast: Contrast,
}

impl Place {
    /// Takes in what was seen at the same path of another tool.
    pub(super) fn merge(&mut self, other: &Self) {
        self.look.merge(&other.look);
        self.contrast.merge(&other.contrast);
    }
}

/// All places.
#[derive(Debug, Default)]
pub(super) struct Places {
    tools: BTreeMap<ToolName, BTreeMap<String, Place>>,
    count: usize,
    has_more: bool,
}

/// So many places are watched: what varies in more of them is not varied arguments, but another thing each time.
pub(super) const MOST: usize = 5_000;

impl Places {
    /// A place, to add to it; `None` where there are too many already.
    pub(super) fn at(&mut self, tool: &ToolName, path: &str) -> Option<&mut Place> {
        let is_known = self.tools.get(tool).is_some_and(|paths| paths.contains_key(path));
        if !is_known {
            if self.count >= MOST {
                self.has_more = true;
                return None;
            }
            self.count += 1;
            let paths = self.tools.entry(tool.clone()).or_default();
            paths.insert(path.to_owned(), Place::default());
        }
        self.tools.get_mut(tool)?.get_mut(path)
    }

    /// All of them, by tool and path.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&ToolName, &str, &Place)> {
        self.tools.iter().flat_map(|(tool, paths)| paths.iter().map(move |(path, place)| (tool, path.as_str(), place)))
    }

    /// Whether there are more than are watched.
    pub(super) fn has_more(&self) -> bool {
        self.has_more
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_an_end_to_places_and_it_is_told() {
        let (mut places, tool) = (Places::default(), ToolName::new("t"));
        (0..MOST).for_each(|at| places.at(&tool, &format!("$.a{at}")).unwrap().look.values += 1);
        assert!(!places.has_more());
        assert!(places.at(&tool, "$.b").is_none() && places.has_more());
        assert!(places.at(&tool, "$.a7").is_some());
        assert_eq!(places.iter().count(), MOST);
    }
}
