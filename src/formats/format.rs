//! The formats: their names, how each is recognised, how it is read.

use std::fmt;
use std::str::FromStr;

use serde_json::Value;

use crate::source::nearest;
use crate::zone::{ZoneError, ZoneErrors};

use super::content::Content;
use super::{Imported, Options, cloud_dns, muster, octodns, route53, route53_health_checks, terraform};

/// A format that a record tree, or its health checks, are kept in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Format {
    /// `aws route53 list-resource-record-sets`, or a change batch.
    Route53,
    /// `aws route53 list-health-checks`.
    Route53HealthChecks,
    /// `terraform show -json`, of a plan or a state.
    Terraform,
    /// A state file of Terraform, version 4.
    TerraformState,
    /// `gcloud dns record-sets list --format=json`.
    CloudDns,
    /// octoDNS's YAML of one zone.
    OctoDns,
    /// muster's own YAML.
    Muster,
}

/// How one format is called, recognised and read.
struct Entry {
    format: Format,
    name: &'static str,
    /// Why a content is none of this format.
    why_not: fn(&Content) -> Option<String>,
    read: fn(&Content, &Options) -> Result<Imported, ZoneErrors>,
}

/// Every format; no content is of two.
const FORMATS: &[Entry] = &[
    Entry { format: Format::Route53, name: "route53", why_not: route53::why_not, read: route53::read },
    Entry {
        format: Format::Route53HealthChecks,
        name: "route53-health-checks",
        why_not: |content| missing(content, &["HealthChecks"]),
        read: route53_health_checks::read,
    },
    Entry {
        format: Format::Terraform,
        name: "terraform",
        why_not: |content| {
            let sides = ["values", "planned_values", "resource_changes", "prior_state"];
            missing(content, &["format_version"])
                .or_else(|| sides.iter().all(|key| !content.has(key)).then(|| none_of(&sides)))
        },
        read: terraform::read_shown,
    },
    Entry {
        format: Format::TerraformState,
        name: "terraform-state",
        why_not: |content| missing(content, &["version", "lineage", "resources"]),
        read: terraform::read_state_file,
    },
    Entry { format: Format::CloudDns, name: "cloud-dns", why_not: cloud_dns::why_not, read: cloud_dns::read },
    Entry { format: Format::OctoDns, name: "octodns", why_not: octodns::why_not, read: octodns::read },
    Entry { format: Format::Muster, name: "muster", why_not: muster::why_not, read: muster::read },
];

impl Format {
    /// Every format.
    pub fn all() -> impl Iterator<Item = Self> {
        FORMATS.iter().map(|entry| entry.format)
    }

    /// What it is called on the command line and in errors.
    #[must_use]
    pub fn name(self) -> &'static str {
        FORMATS.iter().find(|entry| entry.format == self).map_or("", |entry| entry.name)
    }

    pub(super) fn read(self, content: &Content, options: &Options) -> Result<Imported, ZoneErrors> {
        let entry = FORMATS.iter().find(|entry| entry.format == self);
        entry.map_or_else(|| Err(ZoneErrors(Vec::new())), |entry| (entry.read)(content, options))
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Format {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let names = || FORMATS.iter().map(|entry| entry.name);
        FORMATS.iter().find(|entry| entry.name == text).map(|entry| entry.format).ok_or_else(|| {
            let meant = nearest(text, names()).map_or_else(String::new, |name| format!("; did you mean `{name}`?"));
            format!("expected one of {}{meant}", names().collect::<Vec<_>>().join(", "))
        })
    }
}

/// The one format that a content is of.
pub(super) fn recognise(content: &Content) -> Result<Format, ZoneError> {
    let refused: Vec<(&str, Option<String>)> =
        FORMATS.iter().map(|entry| (entry.name, (entry.why_not)(content))).collect();
    let mut fitting = FORMATS.iter().zip(&refused).filter(|(_, (_, why))| why.is_none()).map(|(entry, _)| entry);
    if let (Some(entry), None) = (fitting.next(), fitting.next()) {
        return Ok(entry.format);
    }
    let fitting: Vec<&str> = refused.iter().filter(|(_, why)| why.is_none()).map(|(name, _)| *name).collect();
    let problem = if fitting.is_empty() {
        let tried = refused.iter().filter_map(|(name, why)| Some(format!("\n  {name}: {}", why.as_ref()?)));
        format!("this is of no format that is known; tried:{}", tried.collect::<String>())
    } else {
        format!("this can be read as {}; say which with `--format`", fitting.join(" or as "))
    };
    Err(ZoneError::Invalid { at: content.map.value(""), problem })
}

/// Why not, when one of the keys is missing at the top.
pub(super) fn missing(content: &Content, keys: &[&str]) -> Option<String> {
    let Value::Object(object) = &content.value else { return Some("the top is no object".to_owned()) };
    let key = keys.iter().find(|key| !object.contains_key(**key))?;
    Some(format!("there is no key `{key}` at the top"))
}

/// Why not, when none of the keys is at the top.
pub(super) fn none_of(keys: &[&str]) -> String {
    format!("there is none of the keys `{}` at the top", keys.join("`, `"))
}
