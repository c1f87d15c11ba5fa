//! `taketwo completions` and `taketwo man`: made from the command line's own description.

use clap_complete::Shell;

use super::{Exit, screen};

/// Print shell completions.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:
  taketwo completions bash > ~/.local/share/bash-completion/completions/taketwo")]
pub struct Args {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

/// Print the man page.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:
  taketwo man | man -l -")]
pub struct ManArgs {}

/// Prints completions.
pub fn run(args: &Args) -> miette::Result<Exit> {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut super::command(), "taketwo", &mut text);
    Ok(screen::print(&String::from_utf8_lossy(&text))?)
}

/// Prints the man page, the verbs' options included.
pub fn man(_args: &ManArgs) -> miette::Result<Exit> {
    let mut command = super::command();
    command.build();
    let mut text = Vec::new();
    let mut render = |command: clap::Command| clap_mangen::Man::new(command).render(&mut text);
    render(command.clone()).map_err(|error| miette::miette!("cannot write the man page: {error}"))?;
    for verb in command.get_subcommands().filter(|verb| verb.get_name() != "help") {
        render(verb.clone()).map_err(|error| miette::miette!("cannot write the man page: {error}"))?;
    }
    Ok(screen::print(&String::from_utf8_lossy(&text))?)
}
