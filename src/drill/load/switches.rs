//! Routing controls: who is on, and the safety rule that holds for them.

use std::collections::BTreeMap;

use super::super::error::{Noun, Problem};
use super::super::schema::DrillFile;
use super::reader::Reader;
use crate::plan::RoutingControlsPlan;

pub(super) fn read(reader: &mut Reader<'_>, file: &DrillFile) -> RoutingControlsPlan {
    let written = &file.routing_controls;
    let mut controls = BTreeMap::new();
    for (name, state) in &written.controls {
        let path = format!("routing-controls.controls.{name}");
        let on = reader.word(&path, Noun::OnOrOff, state, &[("on", true), ("off", false)]);
        controls.insert(name.clone(), on.unwrap_or(true));
    }
    let on = u32::try_from(controls.values().filter(|on| **on).count()).unwrap_or(u32::MAX);
    if written.at_least_on > on {
        let expected = format!("at most {on}, as many as are on at the start");
        let found = written.at_least_on.to_string();
        let problem = Problem::OutOfRange { key: "at-least-on", found, expected };
        reader.complain("routing-controls.at-least-on", problem);
    }
    RoutingControlsPlan { controls, at_least_on: written.at_least_on }
}
