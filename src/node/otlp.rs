//! placeholder
pub const PROTOBUF: &str = "application/x-protobuf";
pub fn one_span(_name: &str, _now: crate::clock::LabTime) -> Vec<u8> { Vec::new() }
