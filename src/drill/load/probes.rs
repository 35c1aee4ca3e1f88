//! Synthetic probes: what each submits to, and how often.

use std::collections::BTreeMap;
use std::time::Duration;

use super::super::error::{Noun, Problem};
use super::super::loaded::{Cell, CellMake, Probe, Resolver};
use super::super::schema::DrillFile;
use super::cells::domain_name;
use super::clients::{LEAST_OFTEN, MOST_OFTEN};
use super::reader::Reader;

pub(super) fn read(
    reader: &mut Reader<'_>,
    file: &DrillFile,
    cells: &BTreeMap<String, Cell>,
    resolvers: &BTreeMap<String, Resolver>,
) -> BTreeMap<String, Probe> {
    let takes_telemetry = cells.values().any(|cell| cell.make == CellMake::TelemetryGateway);
    if !file.probes.is_empty() && !takes_telemetry {
        let why = "a synthetic probe submits telemetry, and no cell is a telemetry gateway".to_owned();
        let instead = "write `telemetry-gateway: {}` for a cell, or remove `probes`";
        reader.complain_of_key("probes", Problem::Impossible { why, instead });
    }
    let mut probes = BTreeMap::new();
    for (name, written) in &file.probes {
        let path = format!("probes.{name}");
        let names = resolvers.keys().map(String::as_str);
        reader.known(&format!("{path}.resolver"), Noun::Resolver, &written.resolver, names);
        let every = reader.duration_or(&path, "every", written.every.as_ref(), LEAST_OFTEN);
        reader.within(&path, "every", every, MOST_OFTEN, LEAST_OFTEN);
        let timeout = reader.duration_or(&path, "timeout", written.timeout.as_ref(), every.min(Duration::from_secs(5)));
        if timeout > every {
            let expected = "at most `every`: a probe must have ended before the next begins".to_owned();
            let found = humantime::format_duration(timeout).to_string();
            let problem = Problem::OutOfRange { key: "timeout", found, expected };
            reader.complain(&format!("{path}.timeout"), problem);
        }
        let asks = domain_name(reader, &format!("{path}.asks"), "the name that a probe asks", &written.asks);
        let Some(asks) = asks else { continue };
        probes.insert(name.clone(), Probe { asks, resolver: written.resolver.clone(), every, timeout });
    }
    probes
}
