//! The program under test, and files for it.

use std::path::{Path, PathBuf};

use assert_cmd::Command;

/// A run of the program.
pub fn taketwo(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_taketwo"));
    command.args(arguments);
    command
}

/// What a run printed and how it ended.
pub struct Ran {
    pub code: i32,
    pub out: String,
    pub err: String,
}

/// Runs the program to its end.
pub fn run(arguments: &[&str]) -> Ran {
    ran(&mut taketwo(arguments))
}

/// Runs the command to its end.
pub fn ran(command: &mut Command) -> Ran {
    let output = command.output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Ran { code: output.status.code().unwrap(), out: text(output.stdout), err: text(output.stderr) }
}

/// A folder that goes away with the test.
pub struct Folder(tempfile::TempDir);

impl Folder {
    pub fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// The path of a name in it, as an argument.
    pub fn at(&self, name: &str) -> String {
        self.0.path().join(name).to_str().unwrap().to_owned()
    }

    /// Writes a file, with its folders, and gives its path.
    pub fn file(&self, name: &str, bytes: impl AsRef<[u8]>) -> String {
        let path: PathBuf = self.0.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, bytes).unwrap();
        path.to_str().unwrap().to_owned()
    }
}
