//! `taketwo inspect`: what is in these recordings.

use super::Exit;

/// Show what recordings hold: counts, tools, scenarios, spend, and what is missing.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Recordings: files, folders, globs, or - for standard input
    #[arg(required = true)]
    pub recordings: Vec<String>,
}

pub fn run(_args: &Args) -> miette::Result<Exit> {
    Err(miette::miette!("not built"))
}
