//! `taketwo convert`: recordings from one format to another.

use super::Exit;

/// Convert recordings between JSONL and Parquet without loss.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Recordings: files, folders, globs, or - for standard input; the last one is the file to write
    #[arg(required = true, num_args = 2..)]
    pub paths: Vec<String>,
}

pub fn run(_args: &Args) -> miette::Result<Exit> {
    Err(miette::miette!("not built"))
}
