//! A toxic as people and clients name it: what it does, to which stream, to how many connections; and its JSON form,
//! which is Toxiproxy's.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::problem::Problem;
use super::toxics::{Bandwidth, Latency, LimitData, ResetPeer, Slicer, SlowClose, Timeout};

/// What a toxic does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", content = "attributes", rename_all = "snake_case")]
pub enum Kind {
    /// Bytes are late.
    Latency(Latency),
    /// Bytes pass at a rate.
    Bandwidth(Bandwidth),
    /// The end of the stream is late.
    SlowClose(SlowClose),
    /// Nothing passes, and the connection is closed or held.
    Timeout(Timeout),
    /// Bytes pass in small slices.
    Slicer(Slicer),
    /// The connection is closed after so many bytes.
    LimitData(LimitData),
    /// The connection is reset.
    ResetPeer(ResetPeer),
}

impl Kind {
    /// The kind of this name, every attribute 0; none if there is no such kind.
    pub(super) fn named(name: &str) -> Option<Self> {
        serde_json::from_value(serde_json::json!({ "type": name, "attributes": {} })).ok()
    }

    /// The same kind with some attributes changed. Those that it does not have change nothing, nor does `null`.
    ///
    /// # Errors
    /// When one of them is not a whole number.
    pub(super) fn with(self, attributes: &Map<String, Value>) -> Result<Self, Problem> {
        let bad = |error: serde_json::Error| Problem::BadRequestBody(error.to_string());
        let mut kind = serde_json::to_value(self).map_err(bad)?;
        if let Some(all) = kind.get_mut("attributes").and_then(Value::as_object_mut) {
            let given = attributes.iter().filter(|(_, value)| !value.is_null());
            all.extend(given.map(|(name, value)| (name.clone(), value.clone())));
        }
        serde_json::from_value(kind).map_err(bad)
    }

    /// Its name, as the API has it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Latency(_) => "latency",
            Self::Bandwidth(_) => "bandwidth",
            Self::SlowClose(_) => "slow_close",
            Self::Timeout(_) => "timeout",
            Self::Slicer(_) => "slicer",
            Self::LimitData(_) => "limit_data",
            Self::ResetPeer(_) => "reset_peer",
        }
    }
}

/// One of the two streams of bytes of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Stream {
    /// From the client to the server.
    Upstream,
    /// From the server to the client.
    Downstream,
}

impl Stream {
    /// The stream of this name, in whatever case.
    ///
    /// # Errors
    /// When there is none of this name.
    pub(super) fn named(name: &str) -> Result<Self, Problem> {
        match name.to_ascii_lowercase().as_str() {
            "upstream" => Ok(Self::Upstream),
            "downstream" => Ok(Self::Downstream),
            _ => Err(Problem::InvalidStream),
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Upstream => "upstream",
            Self::Downstream => "downstream",
        }
    }
}

/// A toxic on a proxy.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Toxic {
    /// What it does.
    #[serde(flatten)]
    pub kind: Kind,
    /// Its name, of which a proxy has one.
    pub name: String,
    /// The stream it is on.
    pub stream: Stream,
    /// The share of connections that it has an effect on, from 0 to 1.
    pub toxicity: f32,
}

impl Toxic {
    /// A toxic for every connection, named after its kind and stream, as Toxiproxy does.
    #[must_use]
    pub fn new(kind: Kind, stream: Stream) -> Self {
        Self { kind, name: format!("{}_{}", kind.name(), stream.name()), stream, toxicity: 1.0 }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const KINDS: [&str; 7] = ["latency", "bandwidth", "slow_close", "timeout", "slicer", "limit_data", "reset_peer"];

    fn attributes(value: Value) -> Map<String, Value> {
        serde_json::from_value(value).unwrap()
    }

    #[test]
    fn a_toxic_has_the_json_form_of_toxiproxy() {
        let kind = Kind::Latency(Latency { latency: 1000, jitter: 5 });
        assert_eq!(
            serde_json::to_value(Toxic::new(kind, Stream::Downstream)).unwrap(),
            json!({
                "type": "latency", "attributes": {"latency": 1000, "jitter": 5},
                "name": "latency_downstream", "stream": "downstream", "toxicity": 1.0
            })
        );
    }

    #[test]
    fn every_kind_is_found_by_the_name_it_has_and_no_other() {
        for name in KINDS {
            assert_eq!(Kind::named(name).unwrap().name(), name);
        }
        assert_eq!(Kind::named("noop"), None);
        assert_eq!(Kind::named(""), None);
    }

    #[test]
    fn attributes_change_those_that_are_given_and_unknown_ones_none() {
        let kind = Kind::Latency(Latency { latency: 1000, jitter: 5 });
        let changed = kind.with(&attributes(json!({"latency": 7, "jitter": null, "colour": "red"}))).unwrap();
        assert_eq!(changed, Kind::Latency(Latency { latency: 7, jitter: 5 }));
        let problem = kind.with(&attributes(json!({"latency": "seven"}))).unwrap_err();
        assert!(problem.to_string().starts_with("bad request body: "), "{problem}");
        assert!(kind.with(&attributes(json!({"latency": 1.5}))).is_err());
    }
}
