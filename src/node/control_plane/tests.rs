use std::path::Path;

use crate::decide::Evidence;
use crate::node::testbed::{Testbed, on_loopback};

use super::*;

/// Serves the switches of a test's lab at `socket`, on a thread of its own, while somebody outside uses them.
pub(crate) fn served_in_a_test(socket: &Path, outside: impl FnOnce()) {
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let (tell, served) = std::sync::mpsc::channel();
    std::thread::scope(|threads| {
        threads.spawn(move || {
            on_loopback(10.0, async |bed| {
                let _running = serve(&bed.control(), socket).unwrap();
                tell.send(()).unwrap();
                // Dropped by whoever is done, or has failed.
                let _ = stopped.await;
            });
        });
        let _stop = stop;
        served.recv().unwrap();
        outside();
    });
}

fn is_healthy(bed: &Testbed, id: &str) -> bool {
    bed.evidence.borrow().health_check_is_healthy(&HealthCheckId(id.to_owned()))
}

#[test]
fn r53_154_off_is_unhealthy_on_is_healthy_and_each_turn_is_written_down_once() {
    on_loopback(10.0, async |mut bed| {
        let control = bed.control();
        control.turn("east", false).unwrap();
        control.turn("east", false).unwrap();
        assert!(!is_healthy(&bed, "hc-east") && is_healthy(&bed, "hc-west"));
        control.turn("east", true).unwrap();
        assert!(is_healthy(&bed, "hc-east"));
        let turns = bed.journal.drain().into_iter().map(|event| match event {
            Event::ControlTurned { control, on, refused: None } => format!("{control} {on}"),
            Event::HealthChanged { healthy, reason, .. } => format!("{healthy}: {reason}"),
            other => panic!("{other:?}"),
        });
        let expected =
            ["east false", "false: routing control east is off", "east true", "true: routing control east is on"];
        assert_eq!(turns.collect::<Vec<_>>(), expected);
    });
}

#[test]
fn the_safety_rule_refuses_the_last_one_in_words_and_that_is_written_down() {
    on_loopback(10.0, async |mut bed| {
        let control = bed.control();
        control.turn("east", false).unwrap();
        bed.journal.drain();
        let refused = control.turn("west", false).unwrap_err().to_string();
        assert!(refused.contains("at least 1"), "{refused}");
        assert_eq!(control.is_on("west"), Some(true));
        assert!(is_healthy(&bed, "hc-west"));
        let written = bed.journal.drain();
        let [Event::ControlTurned { control, on: false, refused: Some(why) }] = &written[..] else {
            panic!("{written:?}")
        };
        assert_eq!((control.as_str(), why), ("west", &refused));
    });
}

#[test]
fn r53_106_a_drain_check_is_unhealthy_while_it_is_inverted() {
    on_loopback(10.0, async |bed| {
        let (control, fault) = (bed.control(), Fault::DrainCheck("hc-drain".to_owned()));
        for _ in 0..2 {
            control.apply(&fault).unwrap();
            assert!(!is_healthy(&bed, "hc-drain"));
        }
        for _ in 0..2 {
            control.undo(&fault).unwrap();
            assert!(is_healthy(&bed, "hc-drain"));
        }
    });
}

#[test]
fn r53_105_a_disabled_check_does_not_follow_its_control() {
    on_loopback(10.0, async |bed| {
        bed.control().turn("east", false).unwrap();
        assert!(is_healthy(&bed, "hc-drain"));
    });
}

#[test]
fn a_health_check_that_is_no_switch_is_named_with_the_nearest_that_is() {
    on_loopback(10.0, async |bed| {
        let refused = bed.control().invert(&HealthCheckId("hc-drian".to_owned()), true).unwrap_err().to_string();
        assert!(refused.contains("did you mean `hc-drain`?"), "{refused}");
    });
}
