//! The answer of `list-cidr-blocks`: the blocks of one CIDR collection.

use std::collections::BTreeSet;
use std::path::Path;

use ipnet::IpNet;

use super::super::document::{Findings, Node};
use super::super::validate::is_location_name;
use super::super::{CidrCollection, PolicyProblem, ZoneError, ZoneErrors};

/// Reads a CIDR collection; which id it has, the caller knows.
///
/// # Errors
/// All that is wrong, in the order of the file: what is no such JSON, is cut short, or would be refused (R53-71,
/// R53-245).
pub fn read_cidr_blocks(file: &Path, text: &str) -> Result<CidrCollection, ZoneErrors> {
    let (map, value) = super::parse(file, text)?;
    let findings = Findings::default();
    let root = Node::root(&value, &map, &findings);
    let collection = collection(&root);
    findings.finish()?;
    Ok(collection)
}

fn collection(root: &Node<'_>) -> CidrCollection {
    let mut collection = CidrCollection::new();
    root.only(&["CidrBlocks", "NextToken"]);
    if let Some(token) = root.get("NextToken") {
        let problem = "this listing is cut short; expected all pages".to_owned();
        root.findings().add(ZoneError::Invalid { at: token.key_at(), problem });
    }
    let mut seen = BTreeSet::new();
    let Some(blocks) = root.need("CidrBlocks") else { return collection };
    for item in blocks.items() {
        item.only(&["CidrBlock", "LocationName"]);
        let (Some(block), Some(location)) = (item.need("CidrBlock"), item.need("LocationName")) else { continue };
        let (Some(block_text), Some(location_text)) = (block.text(), location.text()) else { continue };
        let refuse = |node: &Node<'_>, problem| node.findings().add(ZoneError::Policy { at: node.at(), problem });
        if location_text == "*" {
            refuse(&location, PolicyProblem::DefaultInCollection);
        } else if !is_location_name(location_text) {
            refuse(&location, PolicyProblem::CidrLocationName { found: location_text.to_owned() });
        }
        match block_text.parse::<IpNet>() {
            Ok(net) if is_usable(&net) => {
                if !seen.insert(net.trunc()) {
                    refuse(&block, PolicyProblem::CidrBlockTwice { found: block_text.to_owned() });
                }
                collection.entry(location_text.to_owned()).or_default().push(net.trunc());
            }
            _ => refuse(&block, PolicyProblem::CidrBlock { found: block_text.to_owned() }),
        }
    }
    for blocks in collection.values_mut() {
        blocks.sort();
    }
    collection
}

fn is_usable(net: &IpNet) -> bool {
    let longest = match net {
        IpNet::V4(_) => 24,
        IpNet::V6(_) => 48,
    };
    (1..=longest).contains(&net.prefix_len())
}
