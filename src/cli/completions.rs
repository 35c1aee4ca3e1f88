//! `muster completions`: what a shell needs to complete muster's command line.

use std::io::{self, Write};

use clap::{Args, CommandFactory};
use clap_complete::Shell;

use super::Cli;

/// Print the completions of a shell
#[derive(Clone, Debug, Args)]
#[command(after_help = "Example:\n  muster completions bash > ~/.local/share/bash-completion/completions/muster")]
pub struct CompletionsArgs {
    /// The shell
    pub shell: Shell,
}

/// Writes the completions to `out`.
///
/// # Errors
/// When `out` takes no more.
pub fn completions(args: &CompletionsArgs, out: &mut dyn Write) -> io::Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "muster", &mut script);
    out.write_all(&script)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shell_completes_the_subcommands() {
        for shell in [Shell::Bash, Shell::Zsh, Shell::Fish, Shell::PowerShell, Shell::Elvish] {
            let mut out = Vec::new();
            completions(&CompletionsArgs { shell }, &mut out).unwrap();
            assert!(String::from_utf8(out).unwrap().contains("judge"), "{shell}");
        }
    }
}
