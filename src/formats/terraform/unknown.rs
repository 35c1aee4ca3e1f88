//! Attributes that are not known before a plan is applied, put where they will stand.

use serde_json::{Map, Value};

/// The attributes with a name in place of each that `open` (a plan's `after_unknown`) says is not known.
///
/// `name` is given the way to it, as `alias.0.name`. As deep as JSON itself may be nested.
pub(super) fn named(known: &Value, open: Option<&Value>, name: &dyn Fn(&str) -> String) -> Value {
    at(known, open, name, "")
}

fn at(known: &Value, open: Option<&Value>, name: &dyn Fn(&str) -> String, way: &str) -> Value {
    let below = |key: &str| if way.is_empty() { key.to_owned() } else { format!("{way}.{key}") };
    match open {
        Some(Value::Bool(true)) => Value::String(name(way)),
        Some(Value::Object(open)) => {
            let mut object: Map<String, Value> = known.as_object().cloned().unwrap_or_default();
            for (key, open) in open {
                let value = at(object.get(key).unwrap_or(&Value::Null), Some(open), name, &below(key));
                object.insert(key.clone(), value);
            }
            Value::Object(object)
        }
        Some(Value::Array(open)) => {
            let mut list = known.as_array().cloned().unwrap_or_default();
            list.resize(list.len().max(open.len()), Value::Null);
            for (place, open) in open.iter().enumerate() {
                list[place] = at(&list[place], Some(open), name, &below(&place.to_string()));
            }
            Value::Array(list)
        }
        _ => known.clone(),
    }
}

/// The same with `null` for every `""`: Terraform keeps either where there is nothing.
pub(super) fn without_empty(value: &Value) -> Value {
    match value {
        Value::String(text) if text.is_empty() => Value::Null,
        Value::Array(list) => Value::Array(list.iter().map(without_empty).collect()),
        Value::Object(object) => {
            Value::Object(object.iter().map(|(key, value)| (key.clone(), without_empty(value))).collect())
        }
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_not_known_stands_where_it_will_be_under_its_name() {
        let known = json!({"name": "www", "alias": [{"evaluate_target_health": true}], "records": ["192.0.2.1"]});
        let open = json!({"id": true, "alias": [{"name": true}], "records": [false, true]});
        let name = |way: &str| format!("?{way}");
        assert_eq!(
            named(&known, Some(&open), &name),
            json!({"name": "www", "id": "?id", "alias": [{"evaluate_target_health": true, "name": "?alias.0.name"}],
                "records": ["192.0.2.1", "?records.1"]})
        );
        assert_eq!(named(&known, None, &name), known);
    }
}
