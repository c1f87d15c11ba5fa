//! Every command in README and docs does what is written there.
//!
//! `console` blocks are run by trycmd, their output compared. Lines of `sh` blocks are run by a shell and must not
//! fail but for the exit code that is written behind them as `# exits with 1`; a block that is not to be run says so
//! in the line before it: `<!-- not run: why -->`.

use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// README and docs.
fn pages() -> Vec<PathBuf> {
    let mut pages = vec![root().join("README.md"), root().join("examples/README.md")];
    let docs = std::fs::read_dir(root().join("docs")).unwrap();
    pages
        .extend(docs.map(|entry| entry.unwrap().path()).filter(|path| path.extension().is_some_and(|end| end == "md")));
    pages.sort();
    pages
}

/// A folder with what the commands need.
fn workplace() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    furnish(folder.path());
    folder
}

/// Puts what the commands need into a folder, so that it is made like the project's.
fn furnish(folder: &Path) {
    for name in ["recordings", "examples"] {
        copy(&root().join(name), &folder.join(name));
    }
    // What a page calls the reader's own.
    for (own, ours) in [("my_agent.py", "examples/python/support_agent.py"), ("my_tools.py", "examples/tools/desk.py")]
    {
        std::fs::copy(root().join(ours), folder.join(own)).unwrap();
    }
    std::fs::write(folder.join("inputs.jsonl"), "{\"id\":\"a\",\"input\":\"Where is order 1002?\"}\n").unwrap();
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

#[test]
fn console_blocks_print_what_they_show() {
    let cases = trycmd::TestCases::new();
    let folder = tempfile::tempdir().unwrap();
    let mut blocks = 0;
    for page in pages() {
        let text = std::fs::read_to_string(&page).unwrap();
        if !text.contains("```console") {
            continue;
        }
        blocks += text.matches("```console").count();
        // Beside a folder of its own in which a page's commands run: what they write is no page's but theirs.
        let name = page.strip_prefix(root()).unwrap().display().to_string().replace('/', "-");
        let copy = folder.path().join(name);
        std::fs::write(&copy, text).unwrap();
        furnish(&copy.with_extension("in"));
        cases.case(copy);
    }
    assert!(blocks > 3, "{blocks} console blocks");
    cases.env("NO_COLOR", "1").run();
}

/// The lines of the `sh` blocks of a page that are to be run: each block is one script.
fn scripts(page: &str) -> Vec<String> {
    let mut scripts = Vec::new();
    let mut current: Option<String> = None;
    let mut before = "";
    for line in page.lines() {
        match &mut current {
            Some(script) if line.starts_with("```") => scripts.push(std::mem::take(script)),
            Some(script) => {
                script.push_str(line);
                script.push('\n');
                continue;
            }
            None if line == "```sh" && !before.starts_with("<!-- not run:") => {
                current = Some(String::new());
                continue;
            }
            None => {}
        }
        current = None;
        if !line.trim().is_empty() {
            before = line;
        }
    }
    scripts
}

#[test]
fn sh_blocks_run() {
    if Command::new("python3").arg("--version").output().is_err() {
        println!("skipped: the documented commands need python3 for the example agents");
        return;
    }
    let program = Path::new(env!("CARGO_BIN_EXE_taketwo"));
    let path = format!("{}:{}", program.parent().unwrap().display(), std::env::var("PATH").unwrap());
    let (mut ran, mut wrong) = (0, Vec::new());
    for page in pages() {
        let folder = workplace();
        for script in scripts(&std::fs::read_to_string(&page).unwrap()) {
            // What cargo would build is built: its place is taken by the program.
            let runnable = script
                .replace("cargo run -- ", "taketwo ")
                .replace("cargo test", "true")
                .replace("cargo install --path .", "true");
            let output = Command::new("timeout")
                .args(["60", "sh", "-c", &runnable])
                .current_dir(folder.path())
                .env("PATH", &path)
                .env("NO_COLOR", "1")
                .output()
                .unwrap();
            let expected = script.rsplit_once("# exits with ").map_or(0, |(_, code)| code.trim().parse().unwrap());
            ran += 1;
            if output.status.code() != Some(expected) {
                let said = String::from_utf8_lossy(&output.stderr).into_owned();
                wrong.push(format!("{}:\n{script}{:?}: {said}", page.display(), output.status.code()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(ran > 3, "{ran} sh blocks");
}

/// Links between pages lead somewhere.
#[test]
fn links_lead_somewhere() {
    let mut dead = Vec::new();
    let mut links = 0;
    for page in pages() {
        let text = std::fs::read_to_string(&page).unwrap();
        let folder = page.parent().unwrap();
        for link in text.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(link, _)| link) {
            let file = link.split('#').next().unwrap_or_default();
            if file.is_empty() || file.contains("://") {
                continue;
            }
            links += 1;
            if !folder.join(file).exists() {
                dead.push(format!("{}: {link}", page.display()));
            }
        }
    }
    assert!(dead.is_empty(), "{}", dead.join("\n"));
    assert!(links > 5, "{links} links");
}
