//! The command line: arguments in, a library call, an exit code out. One file per subcommand.

mod campaign;
pub mod clean;
pub mod compare;
mod complaint;
pub mod completions;
pub mod conform;
pub mod control;
pub mod explain;
pub mod faults;
mod footing;
pub mod images;
pub mod import;
pub mod judge;
pub mod matrix;
#[cfg(target_os = "linux")]
pub mod node;
pub mod run;
pub mod steps;
mod terminal;

use clap::{Parser, Subcommand};

use crate::verdict::{ExitCode, TABLE};

pub use terminal::Terminal;

/// Reads the command line and does what it says. Must be called first thing in `main`, before any thread exists.
#[must_use]
pub fn main() -> std::process::ExitCode {
    let terminal = Terminal::detect();
    let code = match Cli::try_parse() {
        Ok(Cli { command }) => obey(command, &terminal),
        // `--help` and `--version`.
        Err(asked) if !asked.use_stderr() => {
            let text = asked.render();
            terminal.print(&if terminal.style.colour { text.ansi().to_string() } else { text.to_string() });
            ExitCode::Passed
        }
        Err(mistake) => mistake.exit(),
    };
    terminal.ending(code).into()
}

/// Does what it is told; the exit code, but for what could not be written.
fn obey(command: Command, terminal: &Terminal) -> ExitCode {
    let refused = |problem: String, code: ExitCode| {
        terminal.complain(&problem);
        code
    };
    let (page, code) = match command {
        Command::Run(args) => {
            return run::run(&args, terminal).unwrap_or_else(|error| {
                refused(complaint::of_run(&error, terminal.style_of_errors()), error.exit_code())
            });
        }
        Command::Matrix(args) => {
            return matrix::matrix(&args, terminal).unwrap_or_else(|error| {
                refused(complaint::of_matrix(&error, terminal.style_of_errors()), error.exit_code())
            });
        }
        Command::Judge(args) => match judge::judge(&args, terminal.style) {
            Ok((code, page)) => (page, code),
            Err(error) => return refused(error.to_string(), ExitCode::CannotRun),
        },
        Command::Import(args) => match import::import(&args, terminal) {
            Ok(page) => (page, ExitCode::Passed),
            Err(error) => {
                return refused(complaint::of_import(&error, terminal.style_of_errors()), ExitCode::CannotRun);
            }
        },
        Command::Compare(args) => match compare::compare(&args, terminal.style) {
            Ok((code, page)) => (page, code),
            Err(error) => return refused(error.to_string(), error.exit_code()),
        },
        Command::Explain(args) => match explain::explain(&args, terminal.style) {
            Ok(told) => told,
            Err(error) => {
                return refused(complaint::of_explain(&error, terminal.style_of_errors()), ExitCode::CannotRun);
            }
        },
        Command::Control(args) => match control::control(&args) {
            Ok(text) => (text, ExitCode::Passed),
            Err(error) => return refused(error.to_string(), ExitCode::CannotRun),
        },
        Command::Conform(args) => {
            return conform::conform(&args, terminal)
                .unwrap_or_else(|error| refused(error.to_string(), error.exit_code()));
        }
        Command::Steps(args) => match steps::steps(args) {
            Ok(page) => (page, ExitCode::Passed),
            Err(error) => {
                let problem = format!("the steps cannot be written as JSON: {error}; this is a defect of muster");
                return refused(problem, ExitCode::LabBroke);
            }
        },
        Command::Faults(args) => match faults::faults(args, terminal.style) {
            Ok(page) => (page, ExitCode::Passed),
            Err(error) => {
                let problem = format!("the catalogue cannot be written as JSON: {error}; this is a defect of muster");
                return refused(problem, ExitCode::LabBroke);
            }
        },
        Command::Images(args) => match images::images(&args, terminal) {
            Ok(told) => told,
            Err(error) => return refused(error.to_string(), ExitCode::LabBroke),
        },
        #[cfg(target_os = "linux")]
        Command::Node(args) => {
            return match node::node(&args) {
                Ok(()) => ExitCode::Passed,
                Err(error) => refused(error.to_string(), ExitCode::LabBroke),
            };
        }
        Command::Clean(args) => match clean::clean(&args) {
            Ok(told) => told,
            Err(error) => return refused(error.to_string(), ExitCode::LabBroke),
        },
        Command::Completions(args) => (completions::completions(&args), ExitCode::Passed),
    };
    terminal.print(&page);
    code
}

/// muster's command line.
#[derive(Debug, Parser)]
#[command(
    name = "muster",
    version,
    about = "Rehearses a DNS failover in a lab of its own, and proves from what it observed how long each stage took",
    after_help = exit_codes(),
    after_long_help = exit_codes(),
    arg_required_else_help = true
)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run a drill, or a campaign of several: build its lab, break one thing, watch, heal, and judge
    Run(run::RunArgs),
    /// Measure which resolver, and which client, takes how long to follow a failover, in the Docker lab
    Matrix(matrix::MatrixArgs),
    /// Judge a run again, from its journal alone
    Judge(judge::JudgeArgs),
    /// Convert what a team runs (Route 53, Terraform and others) to muster's own YAML
    Import(import::ImportArgs),
    /// Hold two runs of a drill, or two campaigns, against each other, figure by figure
    Compare(compare::CompareArgs),
    /// Say what a name is answered in a state of health, and why, without running anything
    Explain(explain::ExplainArgs),
    /// List the routing controls of a drill that runs, or turn one
    Control(control::ControlArgs),
    /// List every fault: what it breaks, how that is confirmed, how it is healed
    Faults(faults::FaultsArgs),
    /// Hold an authoritative server against the rules: run the scenarios of feature files
    Conform(conform::ConformArgs),
    /// List the steps that a feature can say, each with an example
    Steps(steps::StepsArgs),
    /// Build, list or remove the images of the Docker lab
    Images(images::ImagesArgs),
    /// Remove what runs in the Docker lab have left on the engine
    Clean(clean::CleanArgs),
    /// Be one process of a spread lab; what the containers of the Docker lab run
    #[cfg(target_os = "linux")]
    #[command(hide = true)]
    Node(node::NodeArgs),
    /// Print the completions of a shell
    Completions(completions::CompletionsArgs),
}

/// The one table of exit codes, as `--help` shows it.
fn exit_codes() -> String {
    TABLE
        .iter()
        .fold("Exit codes:".to_owned(), |text, (code, meaning)| format!("{text}\n  {:>3}  {meaning}", code.number()))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn help_lists_every_exit_code() {
        let help = Cli::command().render_help().to_string();
        for (code, meaning) in TABLE {
            assert!(help.contains(&format!("{:>3}  {meaning}", code.number())), "{help}");
        }
    }

    #[test]
    fn every_subcommand_shows_an_example() {
        for command in Cli::command().get_subcommands_mut() {
            let name = command.get_name().to_owned();
            assert!(command.render_long_help().to_string().contains(&format!("muster {name} ")), "{name}");
        }
    }

    #[test]
    fn a_run_is_told_by_its_drill_alone() {
        let Command::Run(args) = Cli::try_parse_from(["muster", "run", "drills/a.yaml"]).unwrap().command else {
            panic!("not a run")
        };
        assert_eq!(args.out, std::path::Path::new("reports"));
        assert!(!args.control && !args.dry_run && args.seed.is_none() && args.speed.is_none() && args.ground.is_none());
    }

    #[test]
    fn help_says_how_a_campaign_ends() {
        let mut cli = Cli::command();
        let help = cli.find_subcommand_mut("run").unwrap().render_long_help().to_string();
        assert!(help.contains("in this order: 130, 6, 4, 5, 2, 3, 1, 0."), "{help}");
    }

    #[test]
    fn a_speed_that_is_none_is_refused() {
        for speed in ["0", "fast", "1001"] {
            assert!(Cli::try_parse_from(["muster", "run", "a.yaml", "--speed", speed]).is_err(), "{speed}");
        }
        assert!(Cli::try_parse_from(["muster", "run", "a.yaml", "--speed", "20x"]).is_ok());
    }
}
