//! The `muster` command: parses the command line and dispatches.

use std::process::ExitCode;

fn main() -> ExitCode {
    muster::cli::main()
}
