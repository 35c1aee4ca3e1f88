//! Records without pools: octoDNS's values in presentation format.

use hickory_proto::rr::{Name, RecordType};

use crate::zone::document::Node;
use crate::zone::{Alias, Policy, RecordData, RecordSet, SPF, UNKNOWN, ZoneError, values as presented};

/// The types that are read.
pub(super) const TYPES: [&str; 13] =
    ["A", "AAAA", "CAA", "CNAME", "DS", "MX", "NAPTR", "NS", "PTR", "SPF", "SRV", "SSHFP", "TXT"];

/// octodns-route53's own type: an alias.
pub(super) const ALIAS: &str = "Route53Provider/ALIAS";

/// The id of the zone itself, which the YAML does not say.
pub(super) fn own_zone_id() -> String {
    format!("{UNKNOWN}the zone's own id")
}

/// The values of `value` or `values`.
pub(super) fn values(node: &Node<'_>, rtype: RecordType) -> Vec<String> {
    let Some(written) = node.get("values").or_else(|| node.need("value")) else { return Vec::new() };
    let items = if written.value().is_array() { written.items() } else { vec![written] };
    let mut found = Vec::new();
    for item in items {
        let Some(text) = value(&item, rtype) else { continue };
        if let Err(problem) = presented::check(rtype, &text) {
            item.findings().add(ZoneError::Record { at: item.at(), problem });
        }
        found.push(shortest(rtype, presented::absolute(rtype, &text)));
    }
    found
}

/// An IPv6 address as octoDNS writes it, shortest; other values as they are.
pub(super) fn shortest(rtype: RecordType, value: String) -> String {
    match value.parse::<std::net::Ipv6Addr>() {
        Ok(address) if rtype == RecordType::AAAA => address.to_string(),
        _ => value,
    }
}

/// The parts of a structured value in the order of its presentation; each by its key, or an older one. `"` around
/// those that are texts.
fn parts(rtype: RecordType) -> &'static [(&'static str, &'static str, bool)] {
    match rtype {
        RecordType::MX => &[("preference", "priority", false), ("exchange", "value", false)],
        RecordType::SRV => &[
            ("priority", "priority", false),
            ("weight", "weight", false),
            ("port", "port", false),
            ("target", "target", false),
        ],
        RecordType::CAA => &[("flags", "flags", false), ("tag", "tag", false), ("value", "value", true)],
        RecordType::NAPTR => &[
            ("order", "order", false),
            ("preference", "preference", false),
            ("flags", "flags", true),
            ("service", "service", true),
            ("regexp", "regexp", true),
            ("replacement", "replacement", false),
        ],
        RecordType::DS => &[
            ("key_tag", "flags", false),
            ("algorithm", "protocol", false),
            ("digest_type", "algorithm", false),
            ("digest", "public_key", false),
        ],
        RecordType::SSHFP => &[
            ("algorithm", "algorithm", false),
            ("fingerprint_type", "fingerprint_type", false),
            ("fingerprint", "fingerprint", false),
        ],
        _ => &[],
    }
}

fn value(node: &Node<'_>, rtype: RecordType) -> Option<String> {
    let parts = parts(rtype);
    if parts.is_empty() {
        let text = node.text()?;
        let is_text = rtype == RecordType::TXT || rtype == SPF;
        return Some(if is_text { quoted(text) } else { text.to_owned() });
    }
    node.object()?;
    let mut words = Vec::new();
    for (key, older, is_text) in parts {
        // A CAA without flags has none set.
        let part = match node.get(key).or_else(|| node.get(older)) {
            None if *key == "flags" && rtype == RecordType::CAA => "0".to_owned(),
            None => {
                node.need(key);
                return None;
            }
            Some(part) => match part.value() {
                serde_json::Value::Number(number) => number.to_string(),
                _ => part.text()?.to_owned(),
            },
        };
        words.push(if *is_text { format!("\"{part}\"") } else { part });
    }
    Some(words.join(" "))
}

/// Characters of a piece of a text.
const PIECE: usize = 255;

/// A text in pieces of at most [`PIECE`] characters, none of which ends in the `\` of an escape; octoDNS escapes its
/// semicolons, Route 53 does not.
fn quoted(text: &str) -> String {
    let plain: Vec<char> = text.replace("\\;", ";").replace('"', "\\\"").chars().collect();
    let mut pieces = Vec::new();
    let mut rest = plain.as_slice();
    while !rest.is_empty() {
        let mut length = rest.len().min(PIECE);
        if length < rest.len() {
            let escapes = rest[..length].iter().rev().take_while(|c| **c == '\\').count();
            length = if escapes < length { length - escapes } else { length };
        }
        let (piece, others) = rest.split_at(length);
        pieces.push(format!("\"{}\"", piece.iter().collect::<String>()));
        rest = others;
    }
    if pieces.is_empty() { "\"\"".to_owned() } else { pieces.join(" ") }
}

/// Aliases of octodns-route53's own type, one for each record type.
pub(super) fn aliases(node: &Node<'_>, name: &Name, apex: &Name) -> Vec<RecordSet> {
    let Some(written) = node.get("values").or_else(|| node.need("value")) else { return Vec::new() };
    let items = if written.value().is_array() { written.items() } else { vec![written] };
    items.iter().filter_map(|item| alias(item, name, apex)).collect()
}

fn alias(node: &Node<'_>, name: &Name, apex: &Name) -> Option<RecordSet> {
    node.only(&["name", "type", "evaluate-target-health", "hosted-zone-id"]);
    let rtype = node.need("type").and_then(|kind| kind.record_type());
    let evaluate_target_health = node.get("evaluate-target-health").map_or(Some(false), |flag| flag.flag());
    // A service's name is whole, and comes with the id of its zone; any other is below the zone itself.
    let (target, hosted_zone_id) = if let Some(id) = node.get("hosted-zone-id") {
        (node.need("name")?.name()?, id.text()?.to_owned())
    } else {
        let label = node.get("name").map_or(Some(""), |name| name.text())?;
        (super::owner(node, label, apex)?, own_zone_id())
    };
    Some(RecordSet {
        name: name.clone(),
        rtype: rtype?,
        set_identifier: None,
        policy: Policy::Simple,
        health_check: None,
        data: RecordData::Alias(Alias { target, hosted_zone_id, evaluate_target_health: evaluate_target_health? }),
        at: node.at(),
    })
}
