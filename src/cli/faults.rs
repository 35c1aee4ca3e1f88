//! `muster faults`: the catalogue of what can be broken, as a table or as JSON.

use clap::Args;
use comfy_table::{ContentArrangement, Table, presets};
use serde::Serialize;

use crate::fault::{CATALOGUE, KILL_TARGETS, SILENCE_AUTHORITATIVE};
use crate::report::Style;

/// What stands for the cell or the switch in the catalogue's texts.
const NAME: &str = "<name>";

/// List every fault: what it breaks, how that is confirmed, how it is healed
#[derive(Clone, Copy, Debug, Args)]
#[command(after_help = "Example:\n  muster faults --json")]
pub struct FaultsArgs {
    /// Print the catalogue as JSON in place of the table
    #[arg(long)]
    pub json: bool,
}

/// One fault, told without a cell.
#[derive(Serialize)]
struct Told {
    fault: &'static str,
    on: &'static str,
    breaks: String,
    confirmed: String,
    healed: String,
}

/// The catalogue, in the order of the faults' words.
///
/// # Errors
/// When it cannot be told in JSON, which is a defect.
pub fn faults(args: FaultsArgs, style: Style) -> Result<String, serde_json::Error> {
    let told = CATALOGUE.iter().map(|entry| Told {
        fault: entry.word,
        on: entry.needs,
        breaks: (entry.breaks)(NAME),
        confirmed: (entry.confirmed)(NAME),
        healed: (entry.undo)(NAME),
    });
    let told: Vec<Told> = told.collect();
    if args.json {
        return Ok(serde_json::to_string_pretty(&told)? + "\n");
    }
    let mut table = Table::new();
    table
        .load_style(presets::UTF8_FULL_CONDENSED)
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_width(style.width)
        .set_header(["fault", "on what, what it breaks, how that is confirmed, how it is healed"]);
    for Told { fault, on, breaks, confirmed, healed } in told {
        let text = format!("on {on}: {breaks}\nconfirmed when {confirmed}\nhealed: {healed}");
        table.add_row([fault, &text]);
    }
    Ok(format!(
        "{table}\n\n{NAME} is a cell, a health check or a routing control; in a drill: `fault: {{ drain: us-east }}`.\n\
         {KILL_TARGETS} says which targets: `{{ cell: us-east, targets: 1 }}` or `{{ cell: us-east, zone: a }}`.\n\
         {SILENCE_AUTHORITATIVE} stands alone: `fault: {SILENCE_AUTHORITATIVE}`.\n"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_catalogue_names_every_fault_and_fits_the_widest_page() {
        let page = faults(FaultsArgs { json: false }, Style::PLAIN).unwrap();
        for entry in CATALOGUE {
            assert!(page.contains(entry.word), "{}: {page}", entry.word);
        }
        let widest = page.lines().map(|line| line.chars().count()).max().unwrap();
        assert!(widest <= 100, "{widest}");
        insta::assert_snapshot!(page);
    }

    #[test]
    fn the_catalogue_in_json_tells_each_fault_whole() {
        let told = faults(FaultsArgs { json: true }, Style::PLAIN).unwrap();
        let told: Vec<serde_json::Value> = serde_json::from_str(&told).unwrap();
        assert_eq!(told.len(), CATALOGUE.len());
        let dead = told.iter().find(|fault| fault["fault"] == "kill-database").unwrap();
        assert_eq!(dead["on"], "a region");
        assert_eq!(dead["healed"], "start the database of <name> again");
    }
}
