//! The resources of a state or of a side of a plan, from every module, each with its attributes and where they stand.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::formats::State;
use crate::zone::document::Node;

use super::reference::References;
use super::unknown;
use super::{CIDR_COLLECTION, CIDR_LOCATION, GOOGLE_RECORD, GOOGLE_ZONE, HEALTH_CHECK, RECORD, ZONE};

/// What is looked at; everything else of a file is not copied.
const KINDS: [&str; 7] = [RECORD, ZONE, HEALTH_CHECK, CIDR_COLLECTION, CIDR_LOCATION, GOOGLE_RECORD, GOOGLE_ZONE];

/// What resources are called that have to do with DNS and its health checks: those that are not read are told.
const RELATED: [&str; 5] = [
    "aws_route53_",
    "aws_route53recoverycontrolconfig_",
    "google_dns_",
    "google_compute_health_check",
    "google_compute_region_health_check",
];

/// One resource.
#[derive(Debug)]
pub(super) struct Resource {
    /// `module.dns["eu"].aws_route53_record.this["api.v1 A"]`.
    pub(super) address: String,
    /// `aws_route53_record`.
    pub(super) kind: String,
    /// It is Terraform's own, and not only looked up (`data`).
    pub(super) managed: bool,
    /// Its attributes; `""` stands as `null`, what is not known yet by its name.
    attributes: Value,
    /// Where they stand.
    path: String,
}

impl Resource {
    /// Its attributes.
    pub(super) fn node<'a>(&'a self, root: &Node<'a>) -> Node<'a> {
        root.elsewhere(&self.attributes, self.path.clone())
    }

    /// An attribute that names it, such as its id; known as unknown when nobody knows it yet.
    pub(super) fn id(&self, attribute: &str) -> String {
        let id = self.attributes.get(attribute).and_then(Value::as_str);
        id.map_or_else(|| format!("{}{}.{attribute}", crate::zone::UNKNOWN, self.address), str::to_owned)
    }
}

/// The resources of a state as `terraform show -json` prints it.
pub(super) fn of_state(root: &Node<'_>) -> Vec<Resource> {
    let mut found = Found::default();
    if let Some(module) = root.get("values").and_then(|values| values.get("root_module")) {
        found.module(&module);
    }
    found.resources
}

/// The resources of one side of a plan: what changes, what stays, and what the plan does not touch.
pub(super) fn of_plan(root: &Node<'_>, side: State) -> Vec<Resource> {
    let mut found = Found::default();
    let references = References::of(root);
    for change in root.get("resource_changes").map_or_else(Vec::new, |changes| changes.items()) {
        found.change(&change, side, &references);
    }
    let planned = root.get("planned_values").filter(|_| side == State::After);
    let prior = root.get("prior_state").and_then(|state| state.get("values"));
    for values in [planned, prior].into_iter().flatten() {
        if let Some(module) = values.get("root_module") {
            found.module(&module);
        }
    }
    found.resources
}

/// The resources of a state file. Attributes may be flat, as in `records.0` (states of providers from before 2020).
pub(super) fn of_state_file(root: &Node<'_>) -> Vec<Resource> {
    let mut found = Found::default();
    for resource in root.get("resources").map_or_else(Vec::new, |list| list.items()) {
        let text = |key| resource.get(key).and_then(|text| text.value().as_str()).unwrap_or_default();
        let (kind, mode) = (text("type"), text("mode"));
        if !KINDS.contains(&kind) {
            continue;
        }
        let module = resource.get("module").map_or_else(String::new, |_| format!("{}.", text("module")));
        let data = if mode == "data" { "data." } else { "" };
        for instance in resource.get("instances").map_or_else(Vec::new, |list| list.items()) {
            if instance.get("deposed").is_some() {
                continue;
            }
            let index = instance.get("index_key").map_or_else(String::new, |key| format!("[{}]", key.value()));
            let address = format!("{module}{data}{kind}.{}{index}", text("name"));
            let Some(attributes) = instance.get("attributes").or_else(|| instance.get("attributes_flat")) else {
                continue;
            };
            let value = unknown::without_empty(&unflat(attributes.value()));
            found.add(address, kind, mode != "data", value, attributes.path());
        }
    }
    found.resources
}

/// `{"records.#": "1", "records.0": "192.0.2.1"}` as `{"records": ["192.0.2.1"]}`, for the lists of plain values.
fn unflat(attributes: &Value) -> Value {
    let Some(object) = attributes.as_object() else { return attributes.clone() };
    let mut nested = serde_json::Map::new();
    let mut lists: BTreeMap<&str, Vec<Value>> = BTreeMap::new();
    for (key, value) in object {
        match key.split_once('.') {
            Some((list, "#" | "%")) => {
                lists.entry(list).or_default();
            }
            Some((list, _)) => lists.entry(list).or_default().push(value.clone()),
            None => {
                nested.insert(key.clone(), value.clone());
            }
        }
    }
    nested.extend(lists.into_iter().map(|(key, list)| (key.to_owned(), Value::Array(list))));
    Value::Object(nested)
}

#[derive(Default)]
struct Found {
    resources: Vec<Resource>,
    /// The addresses of which it is known what becomes of them.
    seen: BTreeSet<String>,
}

impl Found {
    fn add(&mut self, address: String, kind: &str, managed: bool, attributes: Value, path: &str) {
        if self.seen.insert(address.clone()) {
            self.resources.push(Resource {
                address,
                kind: kind.to_owned(),
                managed,
                attributes,
                path: path.to_owned(),
            });
        }
    }

    /// A module and those below it: as deep as JSON itself may be nested.
    fn module(&mut self, module: &Node<'_>) {
        for resource in module.get("resources").map_or_else(Vec::new, |list| list.items()) {
            let Some((address, kind, managed)) = titled(&resource) else { continue };
            let Some(values) = resource.get("values") else { continue };
            self.add(address, &kind, managed, unknown::without_empty(values.value()), values.path());
        }
        for below in module.get("child_modules").map_or_else(Vec::new, |list| list.items()) {
            self.module(&below);
        }
    }

    fn change(&mut self, written: &Node<'_>, side: State, references: &References) {
        let Some((address, kind, managed)) = titled(written) else { return };
        // What is deposed goes away with the plan, whatever it was.
        if written.get("deposed").is_some() {
            return;
        }
        let Some(change) = written.need("change") else { return };
        let actions = change.get("actions").map_or_else(Vec::new, |actions| actions.items());
        // Terraform forgets it, and it stays as it is.
        let is_forgotten = actions.iter().any(|action| action.value().as_str() == Some("forget"));
        let key = if side == State::Before || is_forgotten { "before" } else { "after" };
        let Some(values) = change.get(key) else {
            self.seen.insert(address);
            return;
        };
        let open = change.get("after_unknown").filter(|_| key == "after");
        let name = |attribute: &str| references.name(&address, attribute);
        let value = unknown::named(values.value(), open.as_ref().map(Node::value), &name);
        self.add(address, &kind, managed, unknown::without_empty(&value), values.path());
    }
}

/// Address, type, and whether it is managed; of those that are looked at.
fn titled(resource: &Node<'_>) -> Option<(String, String, bool)> {
    let kind = resource.need("type")?.text()?;
    let is_left_out = !KINDS.contains(&kind) && RELATED.iter().any(|start| kind.starts_with(start));
    if !KINDS.contains(&kind) && !is_left_out {
        return None;
    }
    let address = resource.need("address")?.text()?;
    if is_left_out {
        resource.findings().note(resource.at(), format!("{address} is not read: left out"));
        return None;
    }
    let managed = resource.get("mode").is_none_or(|mode| mode.value().as_str() != Some("data"));
    Some((address.to_owned(), kind.to_owned(), managed))
}
