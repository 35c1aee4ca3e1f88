//! `muster import`: converts what a team runs to muster's own YAML.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::Args;
use hickory_proto::rr::Name;

use crate::formats::{self, Format, Options, State};
use crate::health::HealthCheckDefinition;
use crate::source::{Position, TextError, read_text, read_text_from};
use crate::zone::cloud_dns::CloudDnsZone;
use crate::zone::{HealthCheckId, Zone, ZoneError, ZoneErrors, name_of_text};

use super::Terminal;

/// How standard input is named.
const STANDARD_INPUT: &str = "-";

/// Convert what a team runs to muster's own YAML
#[derive(Clone, Debug, Args)]
#[command(after_help = after_help())]
pub struct ImportArgs {
    /// The files: record sets, and health checks where they are in a file of their own; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Which format they are [default: recognised from the content]
    #[arg(long)]
    pub format: Option<Format>,
    /// The zone that is meant, where there are several, or where nothing in the file names it
    #[arg(long, value_name = "NAME", value_parser = zone_name)]
    pub zone: Option<Name>,
    /// Which side of a plan: `before` it is applied, or `after`
    #[arg(long, value_name = "SIDE", default_value = "after")]
    pub state: State,
    /// Where the YAML is written [default: standard output]
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

fn after_help() -> String {
    let formats: Vec<&str> = Format::all().map(Format::name).collect();
    format!(
        "Examples:\n  \
        aws route53 list-resource-record-sets --hosted-zone-id Z1 | muster import - --out zone.yaml\n  \
        terraform show -json tfplan | muster import - --zone example.com --state before\n  \
        muster import zone.json health-checks.json --out zone.yaml\n\n\
        Formats: {}. What a plan leaves open is kept as `unknown:` and where it will come from; what was left out, and \
        what is unknown, is told on standard error and in the first lines of the YAML.",
        formats.join(", ")
    )
}

pub(super) fn zone_name(text: &str) -> Result<Name, String> {
    let mut name = name_of_text(text)?.to_lowercase();
    name.set_fqdn(true);
    Ok(name)
}

/// What cannot be imported.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// A file that cannot be read.
    #[error("{path} cannot be read: {problem}")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        problem: TextError,
    },
    /// What is wrong in the files.
    #[error("{errors}")]
    Content {
        /// All of it.
        errors: ZoneErrors,
        /// The files' texts.
        texts: BTreeMap<PathBuf, String>,
    },
    /// The YAML cannot be made.
    #[error("the YAML cannot be made: {0}; this is a defect of muster")]
    Yaml(#[from] serde_yaml::Error),
    /// It cannot be written.
    #[error("{path} cannot be written: {problem}")]
    Unwritable {
        /// The file.
        path: PathBuf,
        /// Why.
        problem: std::io::Error,
    },
}

/// The texts of files; `-` is standard input.
///
/// # Errors
/// When one cannot be read.
pub(super) fn texts_of(files: &[PathBuf]) -> Result<BTreeMap<PathBuf, String>, ImportError> {
    let mut texts = BTreeMap::new();
    for path in files {
        let text =
            if path.as_os_str() == STANDARD_INPUT { read_text_from(std::io::stdin().lock()) } else { read_text(path) };
        texts.insert(path.clone(), text.map_err(|problem| ImportError::Unreadable { path: path.clone(), problem })?);
    }
    Ok(texts)
}

/// Reads the files and gives the YAML, or the line that says where it is.
///
/// # Errors
/// When a file cannot be read, is of no format that is known or wrong in it, or does not say which zone is meant.
pub fn import(args: &ImportArgs, terminal: &Terminal) -> Result<String, ImportError> {
    let texts = texts_of(&args.files)?;
    let options = Options { format: args.format, zone: args.zone.clone(), state: args.state };
    let (text, remarks) = match convert(&args.files, &texts, &options) {
        Ok(made) => made?,
        Err(errors) => return Err(ImportError::Content { errors, texts }),
    };
    for remark in remarks {
        terminal.remark(&remark);
    }
    let Some(path) = &args.out else { return Ok(text) };
    std::fs::write(path, text).map_err(|problem| ImportError::Unwritable { path: path.clone(), problem })?;
    Ok(format!("{} is written\n", path.display()))
}

/// The YAML, and what is worth knowing of it.
type Made = Result<(String, Vec<String>), serde_yaml::Error>;

/// A record tree, by whose rules it answers.
pub(super) enum Tree {
    /// A zone of Route 53.
    Route53(Zone),
    /// A zone of Cloud DNS.
    CloudDns(CloudDnsZone),
}

impl Tree {
    pub(super) const fn apex(&self) -> &Name {
        match self {
            Self::Route53(zone) => &zone.apex,
            Self::CloudDns(zone) => &zone.apex,
        }
    }
}

fn convert(files: &[PathBuf], texts: &BTreeMap<PathBuf, String>, options: &Options) -> Result<Made, ZoneErrors> {
    let Gathered { tree, health_checks, mut preface, remarks } = gather(files, texts, options, None)?;
    preface.extend(remarks.iter().cloned());
    let file = files.first().map_or(Path::new(""), PathBuf::as_path);
    let text = match &tree {
        Some(Tree::Route53(zone)) => formats::muster::write(Some(zone), &health_checks, &preface),
        Some(Tree::CloudDns(_)) if !health_checks.is_empty() => {
            let problem =
                "a zone of Cloud DNS and health checks of Route 53 are together; expected them in files of their own";
            return Err(refused(file, problem.to_owned()));
        }
        Some(Tree::CloudDns(zone)) => formats::muster::write_cloud_dns(zone, &preface),
        None if health_checks.is_empty() => {
            let problem = "there is neither a record set nor a health check in it; expected some";
            return Err(refused(file, problem.to_owned()));
        }
        None => formats::muster::write(None, &health_checks, &preface),
    };
    Ok(text.map(|text| (text, remarks)))
}

/// What several files say of one zone.
pub(super) struct Gathered {
    /// The zone, if one of them has it.
    pub(super) tree: Option<Tree>,
    /// The health checks of all of them.
    pub(super) health_checks: BTreeMap<HealthCheckId, HealthCheckDefinition>,
    /// Of which file, in which format.
    preface: Vec<String>,
    /// What was left out, what is unknown, and what is worth knowing.
    pub(super) remarks: Vec<String>,
}

/// Reads every file, all of which together have one zone at most; of several, the one that is nearest above `within`.
///
/// # Errors
/// All that is wrong in the first that is wrong; two zones, or a health check in two files.
pub(super) fn gather(
    files: &[PathBuf],
    texts: &BTreeMap<PathBuf, String>,
    options: &Options,
    within: Option<&Name>,
) -> Result<Gathered, ZoneErrors> {
    let (mut trees, mut health_checks): (Vec<Tree>, BTreeMap<_, HealthCheckDefinition>) = (Vec::new(), BTreeMap::new());
    let (mut preface, mut remarks) = (Vec::new(), Vec::new());
    for (file, text) in files.iter().filter_map(|file| Some((file, texts.get(file)?))) {
        let imported = formats::read(file, text, options)?;
        preface.push(format!("made by `muster import` from {} ({})", file.display(), imported.format));
        remarks.extend(imported.remarks.iter().map(|note| format!("{}: {}", note.at, note.text)));
        remarks.extend(imported.unknown().into_iter().map(|unknown| {
            format!("{}: {} of {} is not known: `{}`", unknown.at, unknown.part, unknown.owner, unknown.name)
        }));
        for (id, check) in imported.health_checks {
            if health_checks.contains_key(&id) {
                let problem = format!("health check `{id}` stands in two files; expected it in one");
                return Err(ZoneError::Invalid { at: check.at, problem }.into());
            }
            health_checks.insert(id, check);
        }
        let found = imported.zones.into_iter().map(Tree::Route53);
        let found = found.chain(imported.cloud_dns.into_iter().map(Tree::CloudDns));
        trees.extend(found.filter(|tree| within.is_none_or(|name| tree.apex().zone_of(name))));
        trees.sort_by_key(|tree| std::cmp::Reverse(within.map_or(0, |_| tree.apex().num_labels())));
        if let [first, second, ..] = &trees[..]
            && (within.is_none() || first.apex() == second.apex())
        {
            let problem = format!(
                "there is more than one zone: {} and {}; expected one, or the one that is meant with `--zone`",
                first.apex(),
                second.apex()
            );
            return Err(refused(file, problem));
        }
    }
    Ok(Gathered { tree: trees.into_iter().next(), health_checks, preface, remarks })
}

fn refused(file: &Path, problem: String) -> ZoneErrors {
    let at = Position { file: std::sync::Arc::new(file.to_path_buf()), line: 0, column: 0 };
    ZoneError::Invalid { at, problem }.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAN: &str = include_str!("../../tests/cases/26-tf-plan-module-index.json");
    const CHECKS: &str = include_str!("../../tests/cases/19-hc-mixed.json");
    const LISTING: &str = include_str!("../../tests/cases/02-r53-failover-both-checked.json");

    fn made(files: &[(&str, &str)], options: &Options) -> Result<(String, Vec<String>), String> {
        let names: Vec<PathBuf> = files.iter().map(|(name, _)| PathBuf::from(name)).collect();
        let texts = files.iter().map(|(name, text)| (PathBuf::from(name), (*text).to_owned())).collect();
        convert(&names, &texts, options).map(Result::unwrap).map_err(|errors| errors.to_string())
    }

    #[test]
    fn what_is_made_of_a_side_of_a_plan_is_that_side() {
        for (state, weight) in [(State::Before, "weight: 50"), (State::After, "weight: 0")] {
            let options = Options { state, ..Options::default() };
            let (text, remarks) = made(&[("plan.json", PLAN)], &options).unwrap();
            assert!(
                text.starts_with("# made by `muster import` from plan.json (terraform)\nzone: example.com.\n"),
                "{text}"
            );
            assert!(text.contains(&format!("set-identifier: w0\n  {weight}\n")), "{text}");
            assert!(remarks.is_empty(), "{remarks:?}");
            let zone = formats::read_zone(Path::new("z.yaml"), &text, None).unwrap();
            assert_eq!(zone.apex.to_string(), "example.com.");
        }
    }

    #[test]
    fn health_checks_come_from_a_file_of_their_own() {
        let files = [("zone.json", LISTING), ("hc.json", CHECKS)];
        let (text, _) = made(&files, &Options::default()).unwrap();
        let imported = formats::read(Path::new("z.yaml"), &text, &Options::default()).unwrap();
        assert_eq!((imported.zones.len(), imported.health_checks.len()), (1, 8));
        let twice = made(&[("zone.json", LISTING), ("plan.json", PLAN)], &Options::default()).unwrap_err();
        assert_eq!(
            twice,
            "plan.json: there is more than one zone: example.com. and example.com.; expected one, or the one that is meant with `--zone`"
        );
        let twice = made(&[("a.json", CHECKS), ("b.json", CHECKS)], &Options::default()).unwrap_err();
        assert!(twice.contains("stands in two files"), "{twice}");
    }

    #[test]
    fn of_several_zones_one_must_be_named() {
        let zone = |name: &str, id: &str| {
            serde_json::json!({"address": format!("aws_route53_zone.{id}"), "mode": "managed", "type": "aws_route53_zone",
                "values": {"name": name, "zone_id": id}})
        };
        let record = |id: &str| {
            serde_json::json!({"address": format!("aws_route53_record.{id}"), "mode": "managed",
                "type": "aws_route53_record",
                "values": {"name": "www", "type": "A", "ttl": 60, "records": ["192.0.2.1"], "zone_id": id}})
        };
        let state = serde_json::json!({"format_version": "1.0", "values": {"root_module": {"resources":
            [zone("example.com", "Z1"), zone("eu.example.com", "Z2"), record("Z1"), record("Z2")]}}});
        let text = state.to_string();
        let of = |zone: Option<&str>| {
            made(
                &[("state.json", &text)],
                &Options { zone: zone.map(|zone| zone_name(zone).unwrap()), ..Options::default() },
            )
        };
        let told = of(None).unwrap_err();
        assert!(
            told.starts_with("state.json: there is more than one zone: example.com. and eu.example.com.;"),
            "{told}"
        );
        assert!(of(Some("EU.example.com")).unwrap().0.contains("name: www.eu.example.com."));
        let told = of(Some("example.net")).unwrap_err();
        assert!(told.contains("there is no zone example.net. with records in here"), "{told}");
        let told = formats::read_zone(Path::new("s.json"), &text, None).unwrap_err().to_string();
        assert_eq!(told, "s.json: there are 2 zones in it: example.com., eu.example.com.; expected one to be named");
        // A drill says by its name which zone it means.
        let named =
            |name: &str| formats::read_zone(Path::new("s.json"), &text, Some(&zone_name(name).unwrap())).unwrap().apex;
        assert_eq!(named("www.eu.example.com").to_string(), "eu.example.com.");
        assert_eq!(named("www.example.com").to_string(), "example.com.");
    }

    #[test]
    fn what_a_plan_leaves_open_is_told_and_nothing_answers_from_it() {
        let mut plan: serde_json::Value = serde_json::from_str(PLAN).unwrap();
        plan["resource_changes"][4]["change"]["after_unknown"]["alias"] = serde_json::json!([{"name": true}]);
        let plan = plan.to_string();
        let (text, remarks) = made(&[("plan.json", &plan)], &Options::default()).unwrap();
        let name = "unknown:module.dns[\"eu\"].module.records.aws_route53_record.this[\"lat A\"].alias.0.name";
        assert!(
            remarks[0].ends_with(&format!("the alias target of lat.example.com. A `eu` is not known: `{name}`")),
            "{remarks:?}"
        );
        assert!(text.contains(&format!("# {}", remarks[0])), "{text}");
        let told = formats::read_zone(Path::new("plan.json"), &plan, None).unwrap_err().to_string();
        assert!(told.contains("the alias target of lat.example.com. A `eu` is known only after apply"), "{told}");
    }
}
