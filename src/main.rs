//! The `muster` command: parses the command line and dispatches.

use std::process::ExitCode;

use mimalloc::MiMalloc;

/// A virtual lab writes and reads a DNS message for every question; a good part of that is to allocate.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    muster::cli::main()
}
