//! Cells: what they are made of, and what they stand for.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::time::Duration;

use hickory_proto::rr::Name;

use crate::health::{TargetGroupSettings, TargetGroupSettingsError};
use crate::service::QueueSettings;

use super::super::addresses;
use super::super::error::Problem;
use super::super::loaded::{Cell, CellMake, QueueMake, RegionMake};
use super::super::schema::{CellFile, DrillFile, OneOrMore, QueueFile, RegionFile};
use super::reader::Reader;
use super::{llm, load_balancers, zones};
use crate::plan::NodeCheck;

/// Targets of one region at most: each is a server of the lab.
const MOST_TARGETS: usize = 20;

/// The highest `maxReceiveCount` (Amazon SQS API Reference, `SetQueueAttributes`).
const MOST_RECEIVES: u32 = 1_000;

pub(super) fn read(reader: &mut Reader<'_>, file: &DrillFile) -> BTreeMap<String, Cell> {
    if file.cells.is_empty() {
        reader.complain_of_key("cells", Problem::Empty { what: "cells" });
    }
    let most = addresses::MOST_CELLS;
    if file.cells.len() > most {
        let problem = Problem::TooMany { what: "cells".to_owned(), found: file.cells.len(), most };
        reader.complain_of_key("cells", problem);
    }
    let mut cells = BTreeMap::new();
    let mut stands_for: BTreeMap<String, &str> = BTreeMap::new();
    for (name, written) in &file.cells {
        let path = format!("cells.{name}");
        let make = make(reader, &path, written);
        let alias_target = alias_target(reader, &path, written);
        let addresses = addresses(reader, &path, written);
        if written.alias.is_none() && written.address.is_none() {
            reader.complain_of_key(&path, Problem::StandsForNothing { cell: name.clone() });
        }
        let things = alias_target.iter().map(|target| ("alias", target.to_string().trim_end_matches('.').to_owned()));
        for (key, what) in things.chain(addresses.iter().map(|address| ("address", address.to_string()))) {
            if let Some(first) = stands_for.insert(what.clone(), name) {
                let (first, second) = (first.to_owned(), name.clone());
                reader.complain(&format!("{path}.{key}"), Problem::StandsTwice { what, first, second });
            }
        }
        cells.insert(name.clone(), Cell { make, alias_target, addresses });
    }
    zones::check_names(reader, &cells);
    cells
}

fn make(reader: &mut Reader<'_>, path: &str, written: &CellFile) -> CellMake {
    let CellFile { region, llm, telemetry_gateway, static_site, .. } = written;
    let found = [region.is_some(), llm.is_some(), telemetry_gateway.is_some(), static_site.is_some()];
    reader.exactly_one(path, &["region", "llm", "telemetry-gateway", "static-site"], &found);
    match (region, llm, telemetry_gateway) {
        (Some(region), ..) => CellMake::Region(region_make(reader, &format!("{path}.region"), region)),
        (None, Some(llm), _) => CellMake::Llm(llm::make(reader, &format!("{path}.llm"), llm)),
        (None, None, Some(_)) => CellMake::TelemetryGateway,
        (None, None, None) => CellMake::StaticSite,
    }
}

fn region_make(reader: &mut Reader<'_>, path: &str, written: &RegionFile) -> RegionMake {
    let targets = written.targets.unwrap_or(2);
    if !(1..=MOST_TARGETS).contains(&targets) {
        let expected = format!("1 to {MOST_TARGETS}");
        let problem = Problem::OutOfRange { key: "targets", found: targets.to_string(), expected };
        reader.complain(&format!("{path}.targets"), problem);
    }
    let of_group = written.target_group.minimum_healthy.as_ref();
    let make = RegionMake {
        targets,
        target_group: target_group(reader, path, written),
        minimum_healthy: zones::minimum_healthy(reader, &format!("{path}.target-group"), of_group),
        node_check: node_check(reader, path, written),
        queue: written.queue.as_ref().map(|queue| queue_make(reader, &format!("{path}.queue"), queue)),
        zones: written.zones.clone(),
        cross_zone: zones::cross_zone(reader, path, written),
        load_balancer_software: load_balancers::read(reader, path, written),
    };
    zones::check_targets(reader, path, &make);
    make
}

fn queue_make(reader: &mut Reader<'_>, path: &str, written: &QueueFile) -> QueueMake {
    let mut duration = |key, written: &Option<_>, default| reader.duration_or(path, key, written.as_ref(), default);
    let (default, secs) = (QueueSettings::default(), Duration::from_secs);
    let make = QueueMake {
        settings: QueueSettings {
            active_for: duration("active-for", &written.active_for, default.active_for),
            wakes_within: duration("wakes-within", &written.wakes_within, default.wakes_within),
            deleted_when_idle_for: duration(
                "deleted-when-idle-for",
                &written.deleted_when_idle_for,
                default.deleted_when_idle_for,
            ),
            dead_letter_after: written.dead_letter_after,
        },
        message_every: duration("message-every", &written.message_every, secs(5)),
        work_takes: duration("work-takes", &written.work_takes, secs(1)),
    };
    let of_metric = "the queue's metric has one datapoint each minute (R53-202)";
    reader.at_least_for(path, "active-for", make.settings.active_for, Duration::from_mins(1), of_metric);
    let of_producer = "a producer that sends faster is the lab's own load";
    reader.at_least_for(path, "message-every", make.message_every, Duration::from_millis(100), of_producer);
    if let Some(found) = written.dead_letter_after.filter(|after| !(1..=MOST_RECEIVES).contains(after)) {
        let (found, expected) = (found.to_string(), format!("1 to {MOST_RECEIVES}"));
        let problem = Problem::OutOfRange { key: "dead-letter-after", found, expected };
        reader.complain(&format!("{path}.dead-letter-after"), problem);
    }
    if make.work_takes >= make.message_every {
        let expected = "less than `message-every`: a worker that cannot keep up has no steady state".to_owned();
        let found = humantime::format_duration(make.work_takes).to_string();
        reader.complain(&format!("{path}.work-takes"), Problem::OutOfRange { key: "work-takes", found, expected });
    }
    make
}

fn target_group(reader: &mut Reader<'_>, path: &str, written: &RegionFile) -> TargetGroupSettings {
    let path = format!("{path}.target-group");
    let written = &written.target_group;
    let interval = reader.duration_or(&path, "interval", written.interval.as_ref(), Duration::from_secs(15));
    let default = Duration::from_secs(5).min(interval.saturating_sub(Duration::from_secs(1)));
    let settings = TargetGroupSettings {
        path: http_path(reader, &format!("{path}.path"), written.path.as_deref().unwrap_or("/health")),
        interval,
        timeout: reader.duration_or(&path, "timeout", written.timeout.as_ref(), default),
        unhealthy_threshold: written.unhealthy_threshold.unwrap_or(2),
        healthy_threshold: written.healthy_threshold.unwrap_or(5),
    };
    // The path has been looked at: what it may hold here is less than what a load balancer takes.
    if let Err(refused) = settings.validate() {
        use TargetGroupSettingsError as Refused;
        let key = match refused {
            Refused::Path(_) => return settings,
            Refused::Interval(_) => "interval",
            Refused::Timeout(_) | Refused::TimeoutBeyondInterval { .. } => "timeout",
            Refused::Threshold(found) if found == settings.unhealthy_threshold => "unhealthy-threshold",
            Refused::Threshold(_) => "healthy-threshold",
        };
        reader.complain(&format!("{path}.{key}"), Problem::Refused(refused.to_string()));
    }
    settings
}

fn node_check(reader: &mut Reader<'_>, path: &str, written: &RegionFile) -> NodeCheck {
    let path = format!("{path}.node-check");
    let written = &written.node_check;
    let interval = reader.duration_or(&path, "interval", written.interval.as_ref(), Duration::from_secs(10));
    reader.at_least(&path, "interval", interval, Duration::from_secs(1));
    NodeCheck { interval, threshold: reader.number_or(&path, "threshold", written.threshold, 2, (1, 10)) }
}

/// The longest path, in characters (Route 53 API Reference, `HealthCheckConfig`).
const LONGEST_PATH: usize = 255;

/// The path as it is, when it is one.
pub(super) fn http_path(reader: &mut Reader<'_>, path: &str, text: &str) -> String {
    let usable = text.starts_with('/')
        && text.len() <= LONGEST_PATH
        && text.bytes().all(|byte| byte.is_ascii_graphic() && !b"{}#".contains(&byte));
    if !usable {
        let problem = "expected `/` and then at most 254 visible ASCII characters without `{`, `}` and `#`".to_owned();
        reader.complain(path, Problem::NotAName { what: "the path of a check", text: text.to_owned(), problem });
    }
    text.to_owned()
}

fn alias_target(reader: &mut Reader<'_>, path: &str, written: &CellFile) -> Option<Name> {
    let text = written.alias.as_deref()?;
    domain_name(reader, &format!("{path}.alias"), "an alias target", text)
}

/// The name, absolute and in lower case.
pub(super) fn domain_name(reader: &mut Reader<'_>, path: &str, what: &'static str, text: &str) -> Option<Name> {
    let parsed = if text.trim_matches('.').is_empty() {
        Err("it is empty".to_owned())
    } else {
        Name::from_ascii(text).map_err(|error| error.to_string())
    };
    match parsed {
        Ok(mut name) => {
            name.set_fqdn(true);
            Some(name.to_lowercase())
        }
        Err(problem) => {
            reader.complain(path, Problem::NotAName { what, text: text.to_owned(), problem });
            None
        }
    }
}

fn addresses(reader: &mut Reader<'_>, path: &str, written: &CellFile) -> Vec<IpAddr> {
    let mut addresses: Vec<IpAddr> = Vec::new();
    for (below, text) in written.address.iter().flat_map(OneOrMore::iter) {
        let path = format!("{path}.address{below}");
        match text.parse() {
            Ok(address) if addresses::is_reserved(address) => {
                reader.complain(&path, Problem::ReservedAddress { address: text.to_owned() });
            }
            Ok(address) => addresses.push(address),
            Err(_) => reader.complain(&path, Problem::NotAnAddress { text: text.to_owned() }),
        }
    }
    addresses
}
