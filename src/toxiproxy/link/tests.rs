use super::*;
use crate::toxiproxy::toxic::Stream;
use crate::toxiproxy::toxics::bench::ms;
use crate::toxiproxy::toxics::{Bandwidth, Latency, LimitData, ResetPeer, Slicer, SlowClose, Timeout};

fn toxic(kind: Kind) -> Toxic {
    Toxic::new(kind, Stream::Downstream)
}

fn latency(latency: i64) -> Toxic {
    toxic(Kind::Latency(Latency { latency, jitter: 0 }))
}

fn timeout(timeout: i64) -> Toxic {
    toxic(Kind::Timeout(Timeout { timeout }))
}

fn slow_close(delay: i64) -> Toxic {
    toxic(Kind::SlowClose(SlowClose { delay }))
}

fn limit(bytes: i64) -> Toxic {
    toxic(Kind::LimitData(LimitData { bytes }))
}

fn reset(timeout: i64) -> Toxic {
    toxic(Kind::ResetPeer(ResetPeer { timeout }))
}

fn renamed(mut toxic: Toxic, name: &str) -> Toxic {
    name.clone_into(&mut toxic.name);
    toxic
}

fn link(toxics: &[Toxic]) -> Link {
    Link::new(toxics, ms(0), 7)
}

fn give(link: &mut Link, now: Duration, bytes: &'static [u8]) {
    assert!(link.wants_input());
    link.input(now, Bytes::from_static(bytes));
}

/// Everything that is written by now.
fn written(link: &mut Link, now: Duration) -> Vec<u8> {
    let mut written = Vec::new();
    link.turn(now);
    while let Some(bytes) = link.output() {
        written.extend_from_slice(&bytes);
        link.turn(now);
    }
    written
}

#[test]
fn without_toxics_bytes_go_through_and_the_end_behind_them() {
    let mut link = link(&[]);
    give(&mut link, ms(0), b"a");
    assert!(!link.wants_input(), "one chunk waits to be written");
    link.end_of_input();
    assert_eq!(link.ending(), None);
    assert_eq!(written(&mut link, ms(0)), b"a");
    assert_eq!(link.ending(), Some(Ending::Close));
}

#[test]
fn toxics_of_a_chain_add_up() {
    let mut link = link(&[latency(100), renamed(latency(50), "second"), slow_close(30)]);
    give(&mut link, ms(0), b"a");
    link.end_of_input();
    assert_eq!(link.turn(ms(0)), Some(ms(100)));
    assert_eq!(link.turn(ms(100)), Some(ms(150)));
    assert_eq!(written(&mut link, ms(149)), b"");
    assert_eq!(written(&mut link, ms(150)), b"a");
    assert_eq!(link.ending(), None);
    assert_eq!(link.turn(ms(179)), Some(ms(180)));
    link.turn(ms(180));
    assert_eq!(link.ending(), Some(Ending::Close));
}

#[test]
fn what_the_destination_does_not_take_slows_down_who_sends() {
    let mut link = link(&[toxic(Kind::Slicer(Slicer { average_size: 1, ..Slicer::default() })), limit(1000)]);
    let mut taken = 0;
    while link.wants_input() {
        give(&mut link, ms(0), b"abcd");
        link.turn(ms(0));
        taken += 1;
        assert!(taken < 10, "nobody takes anything");
    }
    assert_eq!(written(&mut link, ms(0)).len(), taken * 4);
    assert!(link.wants_input());
}

#[test]
fn latency_has_room_for_what_comes_meanwhile() {
    let mut link = link(&[latency(100)]);
    for _ in 0..LATENCY_QUEUE {
        give(&mut link, ms(0), b"a");
    }
    assert!(!link.wants_input());
    assert_eq!(written(&mut link, ms(100)).len(), LATENCY_QUEUE);
}

#[test]
fn a_toxic_that_is_added_has_its_effect_on_what_comes_then() {
    let mut link = link(&[]);
    give(&mut link, ms(0), b"a");
    link.add(latency(100), ms(0));
    assert_eq!(written(&mut link, ms(0)), b"a");
    give(&mut link, ms(10), b"b");
    assert_eq!(written(&mut link, ms(109)), b"");
    assert_eq!(written(&mut link, ms(110)), b"b");
}

#[test]
fn a_toxic_that_changes_lets_go_of_what_it_held_and_treats_the_rest_anew() {
    let mut link = link(&[latency(1_000_000)]);
    give(&mut link, ms(0), b"a");
    give(&mut link, ms(0), b"b");
    assert_eq!(written(&mut link, ms(5)), b"");
    link.update(&latency(100), ms(5));
    assert_eq!(written(&mut link, ms(5)), b"a");
    assert_eq!(written(&mut link, ms(99)), b"");
    assert_eq!(written(&mut link, ms(100)), b"b");
}

#[test]
fn a_toxic_that_is_removed_lets_go_of_everything_in_order() {
    let half = toxic(Kind::Bandwidth(Bandwidth { rate: 1 }));
    let mut link = link(&[latency(100), half]);
    for bytes in [&b"abc"[..], b"def", b"ghi"] {
        give(&mut link, ms(0), bytes);
    }
    link.turn(ms(100));
    link.end_of_input();
    link.remove("bandwidth_downstream");
    assert_eq!(written(&mut link, ms(100)), b"abcdefghi");
    assert_eq!(link.ending(), Some(Ending::Close));
    link.remove("latency_downstream");
    assert_eq!(link.ending(), Some(Ending::Close));
}

#[test]
fn a_toxic_is_removed_before_one_that_goes_on() {
    let mut link = link(&[latency(1_000_000), limit(2)]);
    give(&mut link, ms(0), b"a");
    give(&mut link, ms(0), b"bcd");
    link.turn(ms(0));
    link.remove("latency_downstream");
    assert_eq!(written(&mut link, ms(0)), b"ab");
    assert_eq!(link.ending(), Some(Ending::Close));
}

#[test]
fn removing_a_timeout_closes_the_connection_out_of_which_bytes_may_be_missing() {
    let mut link = link(&[timeout(0)]);
    give(&mut link, ms(0), b"a");
    assert_eq!(link.turn(ms(0)), None);
    assert!(link.wants_input());
    link.remove("timeout_downstream");
    assert_eq!(link.output(), None);
    assert_eq!(link.ending(), Some(Ending::Close));
    let mut spared = Link::new(&[Toxic { toxicity: 0.0, ..timeout(0) }], ms(0), 7);
    spared.remove("timeout_downstream");
    give(&mut spared, ms(0), b"a");
    assert_eq!(written(&mut spared, ms(0)), b"a");
    assert_eq!(spared.ending(), None);
}

#[test]
fn a_limit_holds_for_the_whole_connection_although_it_changes() {
    let mut link = link(&[limit(4)]);
    give(&mut link, ms(0), b"abc");
    assert_eq!(written(&mut link, ms(0)), b"abc");
    link.update(&limit(5), ms(0));
    give(&mut link, ms(0), b"def");
    assert_eq!(written(&mut link, ms(0)), b"de");
    assert_eq!(link.ending(), Some(Ending::Close));
    assert!(!link.wants_input());
}

#[test]
fn an_end_that_is_late_can_be_let_go_of() {
    let mut link = link(&[limit(1), slow_close(1_000_000)]);
    give(&mut link, ms(0), b"ab");
    assert_eq!(written(&mut link, ms(0)), b"a");
    assert_eq!(link.ending(), None);
    link.remove("slow_close_downstream");
    assert_eq!(link.ending(), Some(Ending::Close));
}

#[test]
fn a_reset_does_not_wait_for_what_cannot_be_written() {
    let mut link = link(&[reset(0), slow_close(0)]);
    link.update(&Toxic { toxicity: 0.0, ..reset(0) }, ms(0));
    give(&mut link, ms(0), b"a");
    link.turn(ms(0));
    assert!(link.wants_input(), "the first chunk waits to be written");
    give(&mut link, ms(0), b"b");
    link.update(&reset(50), ms(0));
    assert_eq!(link.turn(ms(0)), Some(ms(50)));
    link.turn(ms(50));
    assert_eq!((link.ending(), link.output()), (Some(Ending::Reset), None));
}

#[test]
fn a_reset_that_is_removed_in_time_loses_nothing() {
    let mut link = link(&[reset(100)]);
    give(&mut link, ms(0), b"a");
    link.turn(ms(0));
    link.remove("reset_peer_downstream");
    assert_eq!(written(&mut link, ms(1000)), b"a");
    assert_eq!(link.ending(), None);
}

#[test]
fn a_toxic_that_comes_too_late_changes_nothing() {
    let mut link = link(&[]);
    link.end_of_input();
    link.add(slow_close(1000), ms(0));
    link.turn(ms(0));
    assert_eq!(link.ending(), Some(Ending::Close));
    assert!(!link.wants_input());
}

#[test]
fn toxicity_is_the_share_of_links_that_a_toxic_has_an_effect_on() {
    let spared = |toxicity: f32| {
        let toxics = [Toxic { toxicity, ..latency(100) }];
        (0..1000)
            .filter(|seed| {
                let mut link = Link::new(&toxics, ms(0), *seed);
                give(&mut link, ms(0), b"a");
                written(&mut link, ms(0)) == b"a"
            })
            .count()
    };
    assert_eq!((spared(1.0), spared(0.0)), (0, 1000));
    assert!((600..800).contains(&spared(0.3)));
}

#[test]
fn the_same_seed_gives_the_same_link() {
    let slices = |seed| {
        let slicer = toxic(Kind::Slicer(Slicer { average_size: 10, size_variation: 5, delay: 0 }));
        let mut link = Link::new(&[slicer], ms(0), seed);
        link.input(ms(0), Bytes::from_static(&[0; 500]));
        let mut lengths = Vec::new();
        link.turn(ms(0));
        while let Some(bytes) = link.output() {
            lengths.push(bytes.len());
            link.turn(ms(0));
        }
        lengths
    };
    assert_eq!(slices(7), slices(7));
    assert_ne!(slices(7), slices(8));
}
