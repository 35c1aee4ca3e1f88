//! `muster completions`: what a shell needs to complete muster's command line.

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

/// The shell's script.
#[must_use]
pub fn completions(args: &CompletionsArgs) -> String {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "muster", &mut script);
    String::from_utf8_lossy(&script).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shell_completes_the_subcommands() {
        for shell in [Shell::Bash, Shell::Zsh, Shell::Fish, Shell::PowerShell, Shell::Elvish] {
            assert!(completions(&CompletionsArgs { shell }).contains("judge"), "{shell}");
        }
    }
}
