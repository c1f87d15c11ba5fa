//! The `taketwo` program: parse, run, exit code.

use std::process::ExitCode;

fn main() -> ExitCode {
    taketwo::cli::main()
}
