//! TTLs between a message and the wire of a ground whose resolvers count whole seconds of wall time.
//!
//! Inside the lab a TTL is lab seconds. Where real resolvers keep answers, what is sent says so many seconds of wall
//! time, and what comes is read so. On every other ground nothing is changed.

use hickory_proto::op::Message;
use hickory_proto::rr::{RData, Record};

use crate::clock::Speed;
use crate::ground::Ground;
use crate::plan::WireTtl;

/// An answer as it goes on the wire of this ground.
pub(super) fn to_wire(ground: &Ground, answer: Vec<u8>) -> Vec<u8> {
    let Some(speed) = ground.wall_seconds() else { return answer };
    let Ok(mut message) = Message::from_vec(&answer) else { return answer };
    for record in records(&mut message) {
        record.ttl = WireTtl::WallSeconds.to_wire(negative_ttl(record), speed);
    }
    message.to_vec().unwrap_or(answer)
}

/// An answer as it is meant, off the wire of this ground.
pub(super) fn from_wire(ground: Option<Speed>, mut message: Message) -> Message {
    if let Some(speed) = ground {
        for record in records(&mut message) {
            let meant = WireTtl::WallSeconds.from_wire(record.ttl, speed).as_secs();
            record.ttl = u32::try_from(meant).unwrap_or(u32::MAX);
        }
    }
    message
}

fn records(message: &mut Message) -> impl Iterator<Item = &mut Record> {
    message.answers.iter_mut().chain(&mut message.authorities).chain(&mut message.additionals)
}

/// An SOA record says for how long a negative answer holds by the smaller of its TTL and its minimum (RFC 2308); the
/// minimum stands in its data, which stays as it is written.
fn negative_ttl(record: &Record) -> u32 {
    match &record.data {
        RData::SOA(soa) => record.ttl.min(soa.minimum),
        _ => record.ttl,
    }
}
