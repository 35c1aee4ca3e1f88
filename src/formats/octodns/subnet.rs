//! Rules by subnet: octodns-route53 makes IP-based routing of them, with a CIDR collection of its own.

use std::fmt::Write as _;
use std::net::IpAddr;

use ipnet::IpNet;
use sha2::{Digest, Sha256};

use crate::zone::document::Node;

/// The collection's name, which stands for its id: octoDNS does not know the one that Route 53 gives.
pub(super) const COLLECTION: &str = "octodns";

/// Bytes of the digest that a location is called by; each is two characters of the name.
const NAME_BYTES: usize = 8;

/// Whether a rule is by subnet.
pub(super) fn has(rule: &Node<'_>) -> bool {
    rule.get("subnets").is_some_and(|subnets| subnets.value().as_array().is_none_or(|list| !list.is_empty()))
}

/// OCT-4, and what octodns-route53 refuses.
pub(super) fn check(rules: &[Node<'_>]) {
    let by_place = rules.iter().any(|rule| rule.get("geos").is_some());
    let mut before: Vec<IpNet> = Vec::new();
    for rule in rules {
        let Some(subnets) = rule.get("subnets") else { continue };
        if by_place {
            subnets
                .invalid("octodns-route53 takes rules by subnet or by place, not both; expected one kind".to_owned());
        }
        let mut own: Vec<(IpNet, Node<'_>)> =
            subnets.items().into_iter().filter_map(|item| Some((net(&item)?, item))).collect();
        own.sort_by_key(|(net, _)| (net.network(), net.prefix_len()));
        for (net, item) in own {
            if let Some(wide) = before.iter().find(|wide| wide.contains(&net)) {
                item.invalid(format!("{net} stands behind {wide}, which holds for it already (OCT-4)"));
            }
            before.push(net);
        }
    }
}

fn net(item: &Node<'_>) -> Option<IpNet> {
    let text = item.text()?;
    let net = parsed(text);
    if net.is_none_or(|net| net != net.trunc()) {
        item.invalid(format!("`{text}` is no CIDR block whose other bits are zero; expected one such as 192.0.2.0/24"));
        return None;
    }
    net
}

/// A single address is a block of itself.
fn parsed(text: &str) -> Option<IpNet> {
    text.parse::<IpNet>().ok().or_else(|| text.parse::<IpAddr>().ok().map(IpNet::from))
}

/// What the location of a rule's subnets is called, and its blocks, sorted. `None` for a rule without any.
pub(super) fn location(rule: &Node<'_>) -> Option<(String, Vec<IpNet>)> {
    if !has(rule) {
        return None;
    }
    let items = rule.get("subnets")?.value().as_array()?;
    let mut texts: Vec<&str> = items.iter().filter_map(|item| item.as_str()).collect();
    texts.sort_unstable();
    let mut blocks: Vec<IpNet> = texts.iter().filter_map(|text| parsed(text)).collect();
    blocks.sort();
    let digest = Sha256::digest(texts.join(",").as_bytes());
    let mut name = String::new();
    for byte in digest.iter().take(NAME_BYTES) {
        let _ = write!(name, "{byte:02x}");
    }
    Some((name, blocks))
}
