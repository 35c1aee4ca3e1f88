//! What an attribute refers to, as the configuration inside a plan says.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::zone::UNKNOWN;
use crate::zone::document::Node;

/// From a resource's address without its indices to its expressions.
pub(super) struct References<'a> {
    expressions: BTreeMap<String, &'a Value>,
}

/// What begins a reference to something that is no resource.
const NOT_RESOURCES: [&str; 7] = ["var", "local", "each", "count", "module", "path", "terraform"];

impl<'a> References<'a> {
    pub(super) fn of(root: &Node<'a>) -> Self {
        let mut references = Self { expressions: BTreeMap::new() };
        if let Some(module) = root.value().pointer("/configuration/root_module") {
            references.module(module, "");
        }
        references
    }

    /// As deep as JSON itself may be nested.
    fn module(&mut self, module: &'a Value, prefix: &str) {
        for resource in module.get("resources").and_then(Value::as_array).into_iter().flatten() {
            let address = resource.get("address").and_then(Value::as_str);
            if let (Some(address), Some(expressions)) = (address, resource.get("expressions")) {
                self.expressions.insert(format!("{prefix}{address}"), expressions);
            }
        }
        for (name, call) in module.get("module_calls").and_then(Value::as_object).into_iter().flatten() {
            if let Some(module) = call.get("module") {
                self.module(module, &format!("{prefix}module.{name}."));
            }
        }
    }

    /// The name of an attribute that is not known: that of the one attribute of another resource that it refers to;
    /// its own when it refers to none or to several, or to one of which the configuration does not say the instance.
    pub(super) fn name(&self, address: &str, way: &str) -> String {
        let referred = self.referred(address, way);
        let own = || format!("{address}.{way}");
        format!("{UNKNOWN}{}", referred.unwrap_or_else(own))
    }

    fn referred(&self, address: &str, way: &str) -> Option<String> {
        let bare = without_indices(address);
        let expressions = self.expressions.get(&bare)?;
        // A list of values is one expression; blocks have one for each.
        let mut found = *expressions;
        for step in way.split('.') {
            let Some(below) = found.get(step).or_else(|| found.get(step.parse::<usize>().ok()?)) else { break };
            found = below;
        }
        let all: Vec<&str> = found.get("references")?.as_array()?.iter().filter_map(Value::as_str).collect();
        let is_part = |one: &str| {
            all.iter()
                .any(|other| other.strip_prefix(one).is_some_and(|rest| rest.starts_with('.') || rest.starts_with('[')))
        };
        let mut whole = all.iter().filter(|one| !is_part(one));
        let (Some(one), None) = (whole.next(), whole.next()) else { return None };
        let first = one.split('.').next().unwrap_or_default();
        let steps = without_indices(one).split('.').count();
        let expected = if first == "data" { 4 } else { 3 };
        if NOT_RESOURCES.contains(&first) || steps < expected {
            return None;
        }
        let module = module_of(address);
        Some(format!("{module}{one}"))
    }
}

/// `module.dns["eu"].` of an address inside that module.
fn module_of(address: &str) -> String {
    let bare: Vec<String> = steps(address);
    let mut module = String::new();
    let mut rest = bare.iter();
    while let Some(step) = rest.next() {
        let Some(name) = rest.next().filter(|_| step == "module") else { break };
        module.extend(["module.", name, "."]);
    }
    module
}

/// An address step by step, the indices with what they belong to: dots inside them part nothing.
fn steps(address: &str) -> Vec<String> {
    let mut steps = vec![String::new()];
    let (mut quoted, mut escaped) = (false, false);
    for c in address.chars() {
        if c == '.' && !quoted {
            steps.push(String::new());
            continue;
        }
        if c == '"' && !escaped {
            quoted = !quoted;
        }
        escaped = c == '\\' && !escaped;
        if let Some(last) = steps.last_mut() {
            last.push(c);
        }
    }
    steps
}

fn without_indices(address: &str) -> String {
    let bare = steps(address).into_iter().map(|step| match step.split_once('[') {
        Some((bare, _)) => bare.to_owned(),
        None => step,
    });
    bare.collect::<Vec<_>>().join(".")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dots_and_quotes_in_an_index_part_nothing() {
        let address = r#"module.dns["e.u \"x\""].aws_route53_record.this["api.v1 A"]"#;
        assert_eq!(without_indices(address), "module.dns.aws_route53_record.this");
        assert_eq!(module_of(address), r#"module.dns["e.u \"x\""]."#);
        assert_eq!(module_of("aws_route53_record.www[0]"), "");
    }
}
