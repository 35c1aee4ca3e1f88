//! `muster steps`: what a feature can say.

use clap::Args;
use serde::Serialize;
use std::fmt::Write as _;

use crate::gherkin::Needs;
use crate::gherkin::catalogue::keyword_text;
use crate::gherkin::parameters::PARAMETERS;
use crate::gherkin::steps::THEMES;

/// List the steps that a feature can say, each with an example
#[derive(Clone, Copy, Debug, Args)]
#[command(after_help = "Examples:\n  muster steps\n  muster steps --json   # for an editor")]
pub struct StepsArgs {
    /// For machines
    #[arg(long)]
    pub json: bool,
}

#[derive(Serialize)]
struct Vocabulary {
    steps: Vec<Told>,
    parameters: Vec<ToldParameter>,
}

#[derive(Serialize)]
struct Told {
    theme: &'static str,
    keywords: Vec<&'static str>,
    expression: &'static str,
    example: &'static str,
    needs: Needs,
}

#[derive(Serialize)]
struct ToldParameter {
    name: &'static str,
    pattern: String,
    choices: &'static [&'static str],
    about: &'static str,
    examples: &'static str,
}

/// The page, or its JSON.
///
/// # Errors
/// When the JSON cannot be written.
pub fn steps(args: StepsArgs) -> Result<String, serde_json::Error> {
    if args.json { json() } else { Ok(page()) }
}

fn json() -> Result<String, serde_json::Error> {
    let steps = THEMES.iter().flat_map(|theme| {
        theme.entries.iter().map(|entry| Told {
            theme: theme.name,
            keywords: entry.keywords.iter().copied().map(keyword_text).collect(),
            expression: entry.expression,
            example: entry.example,
            needs: entry.needs,
        })
    });
    let parameters = PARAMETERS.iter().map(|parameter| ToldParameter {
        name: parameter.name,
        pattern: parameter.written.pattern(),
        choices: parameter.written.choices(),
        about: parameter.about,
        examples: parameter.examples,
    });
    let told = Vocabulary { steps: steps.collect(), parameters: parameters.collect() };
    serde_json::to_string_pretty(&told).map(|json| json + "\n")
}

fn page() -> String {
    let mut page = String::new();
    for theme in THEMES {
        let _ = write!(page, "{}: {}\n\n", theme.name.to_uppercase(), theme.about);
        for entry in theme.entries {
            let keywords: Vec<&str> = entry.keywords.iter().copied().map(keyword_text).collect();
            let inside = match entry.needs {
                Needs::Nothing => "",
                Needs::Inside => "   [needs the subject's inside]",
                Needs::Drill => "   [muster's own server in the virtual lab]",
            };
            let _ = writeln!(page, "  {} {}{inside}", keywords.join("/"), entry.expression);
            let _ = write!(page, "      {}\n\n", entry.example.replace('\n', "\n      "));
        }
    }
    page += "PARAMETERS\n\n";
    for parameter in PARAMETERS {
        let choices = parameter.written.choices().join(" | ");
        let told = if choices.is_empty() { parameter.examples } else { &choices };
        let _ = write!(page, "  {{{}}}   {}\n      {told}\n\n", parameter.name, parameter.about);
    }
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_step_is_told_with_an_example() {
        let page = page();
        for entry in THEMES.iter().flat_map(|theme| theme.entries) {
            assert!(page.contains(entry.expression), "{}", entry.expression);
            let first = entry.example.lines().next().unwrap();
            assert!(page.contains(first), "{first}");
        }
    }

    #[test]
    fn a_parameter_that_is_a_choice_names_its_choices_on_the_page_and_in_json() {
        let page = page();
        assert!(page.contains("      NODATA | NXDOMAIN | REFUSED | truncated | not truncated\n"), "{page}");
        let told: serde_json::Value = serde_json::from_str(&json().unwrap()).unwrap();
        let parameters = told["parameters"].as_array().unwrap();
        let taken = parameters.iter().find(|parameter| parameter["name"] == "taken").unwrap();
        assert_eq!(taken["choices"], serde_json::json!(["accepted", "refused: \"…\""]));
        assert_eq!(taken["pattern"], "accepted|refused: \"[^\\x22]*\"");
        let free = parameters.iter().find(|parameter| parameter["name"] == "duration").unwrap();
        assert_eq!(free["choices"], serde_json::json!([]));
    }

    #[test]
    fn json_tells_the_same_steps() {
        let told: serde_json::Value = serde_json::from_str(&json().unwrap()).unwrap();
        let count: usize = THEMES.iter().map(|theme| theme.entries.len()).sum();
        assert_eq!(told["steps"].as_array().unwrap().len(), count);
        assert_eq!(told["steps"][0]["keywords"][0], "Given");
    }
}
