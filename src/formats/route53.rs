//! Route 53's own record sets: a listing, its pages, or a change batch.

use serde_json::Value;

use crate::zone::{ZoneErrors, route53_json};

use super::content::Content;
use super::format::{missing, none_of};
use super::{Format, Imported, Options};

const KEYS: [&str; 3] = ["ResourceRecordSets", "Changes", "ChangeBatch"];

pub(super) fn why_not(content: &Content) -> Option<String> {
    if let Value::Array(pages) = &content.value {
        let are_pages = !pages.is_empty() && pages.iter().all(|page| page.get(KEYS[0]).is_some());
        return (!are_pages).then(|| format!("the top is a list, but not of pages with the key `{}`", KEYS[0]));
    }
    missing(content, &[]).or_else(|| KEYS.iter().all(|key| !content.has(key)).then(|| none_of(&KEYS)))
}

pub(super) fn read(content: &Content, options: &Options) -> Result<Imported, ZoneErrors> {
    let (zone, remarks) = route53_json::read_document(&content.map, &content.value, options.zone.as_ref())?;
    Ok(Imported { zones: vec![zone], remarks, ..Imported::new(Format::Route53) })
}
