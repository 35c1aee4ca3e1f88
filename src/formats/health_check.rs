//! One health check, whatever the keys are called: Route 53's API, Terraform and muster's own YAML each have their
//! words for the same settings.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::health::{
    CalculatedCheck, CheckProtocol, DefinedEndpoint, DefinedKind, EndpointAddress, EndpointCheck,
    HealthCheckDefinition, InsufficientData, StatusSettings, Tls, USUAL_FAILURE_THRESHOLD, USUAL_INTERVAL,
};
use crate::zone::document::{Findings, Node};
use crate::zone::{HealthCheckId, ZoneError};

/// What a format calls the settings of a health check.
pub(super) struct Words {
    pub(super) kind: &'static str,
    pub(super) address: &'static str,
    pub(super) name: &'static str,
    pub(super) port: &'static str,
    pub(super) path: &'static str,
    pub(super) search: &'static str,
    pub(super) sni: &'static str,
    pub(super) interval: &'static str,
    pub(super) failure_threshold: &'static str,
    pub(super) regions: &'static str,
    pub(super) children: &'static str,
    pub(super) healthy_threshold: &'static str,
    /// The key around the alarm's Region and name, where there is one.
    pub(super) alarm: Option<&'static str>,
    pub(super) alarm_region: &'static str,
    pub(super) alarm_name: &'static str,
    pub(super) insufficient_data: &'static str,
    pub(super) routing_control: &'static str,
    pub(super) inverted: &'static str,
    pub(super) disabled: &'static str,
}

/// The words for what a check means that has too few data.
pub(super) const INSUFFICIENT: [(&str, InsufficientData); 3] = [
    ("Healthy", InsufficientData::Healthy),
    ("Unhealthy", InsufficientData::Unhealthy),
    ("LastKnownStatus", InsufficientData::LastKnownStatus),
];

const KINDS: &str =
    "HTTP, HTTPS, HTTP_STR_MATCH, HTTPS_STR_MATCH, TCP, CALCULATED, CLOUDWATCH_METRIC, RECOVERY_CONTROL";

/// `None` when it cannot be made sense of; then the findings say why.
pub(super) fn read(node: &Node<'_>, words: &Words) -> Option<HealthCheckDefinition> {
    let flag = |key| node.get(key).map_or(Some(false), |flag| flag.flag());
    let (inverted, disabled) = (flag(words.inverted), flag(words.disabled));
    let kind = node.need(words.kind)?;
    let kind = match kind.text()? {
        "HTTP" => http(node, words, false, false),
        "HTTPS" => http(node, words, true, false),
        "HTTP_STR_MATCH" => http(node, words, false, true),
        "HTTPS_STR_MATCH" => http(node, words, true, true),
        "TCP" => {
            let port = node.need(words.port).and_then(|port| number(&port, u16::MAX.into()));
            endpoint(node, words, CheckProtocol::Tcp, port.and_then(|port| u16::try_from(port).ok()))
        }
        "CALCULATED" => calculated(node, words),
        "CLOUDWATCH_METRIC" => alarm(node, words),
        "RECOVERY_CONTROL" => {
            let arn = node.need(words.routing_control)?.text()?.to_owned();
            Some(DefinedKind::RoutingControl { arn })
        }
        other => {
            kind.invalid(format!("health check type `{other}` is not known; expected one of {KINDS}"));
            None
        }
    };
    let status = StatusSettings { inverted: inverted?, disabled: disabled? };
    Some(HealthCheckDefinition { status, kind: kind?, at: node.at() })
}

fn number(node: &Node<'_>, most: u32) -> Option<u32> {
    let found = node.value().as_u64().and_then(|number| u32::try_from(number).ok()).filter(|number| *number <= most);
    if found.is_none() {
        node.invalid(format!("found {}; expected a whole number from 0 to {most}", node.value()));
    }
    found
}

fn http(node: &Node<'_>, words: &Words, tls: bool, searches: bool) -> Option<DefinedKind> {
    let text = |key| node.get(key).and_then(|text| text.text().map(str::to_owned));
    let search = if searches { Some(node.need(words.search)?.text()?.to_owned()) } else { None };
    if !searches && let Some(search) = node.get(words.search) {
        search.invalid("a string is searched for, but the type is no `…_STR_MATCH`; expected one or the other".into());
    }
    // Route 53 puts the slash in front where it is missing (API Reference, `HealthCheckConfig`).
    let path = text(words.path).unwrap_or_default();
    let path = if path.starts_with('/') { path } else { format!("/{path}") };
    let sni = node.get(words.sni).map_or(Some(true), |sni| sni.flag())?;
    let port = match node.get(words.port) {
        Some(port) => number(&port, u16::MAX.into()).and_then(|port| u16::try_from(port).ok()),
        None => Some(if tls { 443 } else { 80 }),
    };
    let host = text(words.name);
    endpoint(node, words, CheckProtocol::Http { path, host, tls: tls.then_some(Tls { sni }), search }, port)
}

fn endpoint(node: &Node<'_>, words: &Words, protocol: CheckProtocol, port: Option<u16>) -> Option<DefinedKind> {
    let address = match node.get(words.address) {
        None => None,
        Some(written) => {
            let address = EndpointAddress::of_text(written.text()?);
            if address.is_none() {
                written.invalid(format!("{} is no IP address", written.value()));
            }
            Some(address?)
        }
    };
    let name = node.get(words.name).and_then(|name| name.text().map(|name| name.trim_end_matches('.').to_owned()));
    let interval = match node.get(words.interval) {
        Some(written) => Duration::from_secs(number(&written, u32::MAX)?.into()),
        None => USUAL_INTERVAL,
    };
    let failure_threshold = match node.get(words.failure_threshold) {
        Some(written) => number(&written, u32::MAX)?,
        None => USUAL_FAILURE_THRESHOLD,
    };
    let regions = node.get(words.regions).map_or_else(Vec::new, |regions| texts(&regions));
    let check = EndpointCheck { protocol, port: port?, interval, failure_threshold };
    Some(DefinedKind::Endpoint(DefinedEndpoint { address, name, check, regions }))
}

fn calculated(node: &Node<'_>, words: &Words) -> Option<DefinedKind> {
    let children = node.get(words.children).map_or_else(Vec::new, |children| texts(&children));
    let children = children.into_iter().map(HealthCheckId).collect();
    let healthy_threshold = number(&node.need(words.healthy_threshold)?, u32::MAX)?;
    Some(DefinedKind::Calculated(CalculatedCheck { children, healthy_threshold }))
}

fn alarm(node: &Node<'_>, words: &Words) -> Option<DefinedKind> {
    let alarm = match words.alarm {
        Some(key) => node.need(key)?,
        None => node.clone(),
    };
    let text = |key| alarm.need(key).and_then(|text| text.text().map(str::to_owned));
    let (region, name) = (text(words.alarm_region), text(words.alarm_name));
    let written = node.need(words.insufficient_data)?;
    let word = written.text()?;
    let Some((_, insufficient_data)) = INSUFFICIENT.into_iter().find(|(known, _)| *known == word) else {
        written.invalid(format!("`{word}` is not known; expected Healthy, Unhealthy or LastKnownStatus (R53-142)"));
        return None;
    };
    Some(DefinedKind::Alarm { region: region?, name: name?, insufficient_data })
}

fn texts(node: &Node<'_>) -> Vec<String> {
    node.items().iter().filter_map(|item| item.text().map(str::to_owned)).collect()
}

/// Notes what Route 53 would refuse of health checks that were read.
pub(super) fn check(all: &BTreeMap<HealthCheckId, HealthCheckDefinition>, findings: &Findings) {
    for (id, check) in all {
        let kind_of_child = |child: &HealthCheckId| all.get(child).map(HealthCheckDefinition::is_calculated);
        if let Err(error) = check.validate(kind_of_child) {
            let problem = format!("health check `{id}`: {error}");
            findings.add(ZoneError::Invalid { at: check.at.clone(), problem });
        }
    }
}
