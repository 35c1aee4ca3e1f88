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

#[cfg(test)]
mod tests {
    use hickory_proto::op::{Edns, OpCode, Query};
    use hickory_proto::rr::rdata::{A, SOA};
    use hickory_proto::rr::{Name, RecordType};

    use super::*;
    use crate::ground::GroundKind;

    fn speed() -> Speed {
        Speed::new(5.0).unwrap()
    }

    /// The ground of a container, whose resolvers count whole wall seconds if that is so.
    fn ground(kind: GroundKind, counting: bool) -> Ground {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let ground = runtime.block_on(Ground::open(kind, &[])).unwrap();
        if counting { ground.counting_wall_seconds(speed()) } else { ground }
    }

    /// An answer of two addresses, an authority's SOA, and an address beside them.
    fn answer() -> Message {
        let name = || Name::from_ascii("api.example.").unwrap();
        let address = |ttl| Record::from_rdata(name(), ttl, RData::A(A::new(192, 0, 2, 1)));
        let soa = SOA::new(name(), name(), 1, 7200, 900, 1_209_600, 60);
        let mut message = Message::response(7, OpCode::Query);
        message.add_query(Query::query(name(), RecordType::A));
        message.add_answer(address(60)).add_answer(address(0));
        message.add_authority(Record::from_rdata(name(), 900, RData::SOA(soa)));
        message.add_additional(address(61));
        message.set_edns(Edns::new());
        message
    }

    fn ttls(mut message: Message) -> Vec<u32> {
        records(&mut message).map(|record| record.ttl).collect()
    }

    #[test]
    fn rsv_ttl_1_an_answer_goes_out_in_whole_wall_seconds_and_comes_back_no_shorter() {
        let sent = to_wire(&ground(GroundKind::Container, true), answer().to_vec().unwrap());
        let sent = Message::from_vec(&sent).unwrap();
        // The SOA's 900 s would outlast its minimum, which is what a negative answer holds for.
        assert_eq!(ttls(sent.clone()), [12, 0, 12, 13]);
        let RData::SOA(soa) = &sent.authorities[0].data else { panic!("{sent}") };
        assert_eq!(soa.minimum, 60, "its data stay as they are written");
        assert!(sent.edns.is_some());
        assert_eq!((sent.metadata.id, sent.queries.clone()), (7, answer().queries));
        assert_eq!(ttls(from_wire(Some(speed()), sent)), [60, 0, 60, 65]);
    }

    #[test]
    fn where_lab_seconds_are_counted_nothing_is_changed() {
        let bytes = answer().to_vec().unwrap();
        assert_eq!(to_wire(&ground(GroundKind::Container, false), bytes.clone()), bytes);
        assert_eq!(to_wire(&ground(GroundKind::Simulated, true), bytes.clone()), bytes);
        assert_eq!(from_wire(None, answer()), answer());
    }

    #[test]
    fn what_is_no_message_passes_as_it_is() {
        assert_eq!(to_wire(&ground(GroundKind::Container, true), vec![1, 2, 3]), [1, 2, 3]);
    }

    #[test]
    fn the_longest_ttl_does_not_run_over_on_its_way_back() {
        let mut message = answer();
        message.answers[0].ttl = u32::MAX;
        assert_eq!(ttls(from_wire(Some(speed()), message))[0], u32::MAX);
    }
}
