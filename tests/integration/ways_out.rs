//! Every way out of a run heals, or leaves nothing to heal.

use crate::desk::{Desk, SPEED, allows, code, muster, place, said, the_only_lab};
use muster::journal::event::Event;
use muster::journal::read;

fn ends_healed(signal: &str) {
    let _lab = the_only_lab();
    let desk = Desk::new();
    let mut run = desk.start("database-down", &["--speed", SPEED]);
    run.until("the fault holds");
    run.signal(signal);
    let output = run.end();
    assert_eq!(code(&output), 130, "{}", said(&output));
    assert!(said(&output).contains("verdict: interrupted"), "{}", said(&output));

    let journal = desk.journal();
    let interrupted = place(
        &journal.events,
        |event| matches!(event, Event::Interrupted { signal: name } if *name == format!("SIG{signal}")),
    );
    let healed = place(&journal.events, |event| matches!(event, Event::Healed { .. }));
    assert!(interrupted < healed);
    assert!(!journal.cut_off);
    let folder = &desk.folders()[0];
    assert!(folder.join("junit.xml").exists() && folder.join("summary.json").exists());
}

#[test]
fn ctrl_c_heals_and_writes_the_verdict_so_far() {
    ends_healed("INT");
}

#[test]
fn sigterm_heals_and_writes_the_verdict_so_far() {
    ends_healed("TERM");
}

#[test]
fn an_interrupt_before_the_fault_has_nothing_to_heal() {
    let _lab = the_only_lab();
    let desk = Desk::new();
    let mut run = desk.start("database-down", &["--speed", SPEED]);
    run.until("the lab is ready");
    run.signal("INT");
    assert_eq!(code(&run.end()), 130);
    let asked = desk.journal().events.into_iter().any(|stamped| matches!(stamped.event, Event::FaultRequested { .. }));
    assert!(!asked);
}

#[test]
fn after_kill_9_the_journal_is_readable_and_the_next_run_is_not_disturbed() {
    let lab = the_only_lab();
    let desk = Desk::new();
    let mut run = desk.start("database-down", &["--speed", SPEED, "--ground", "loopback"]);
    run.until("the fault holds");
    run.signal("KILL");
    assert_eq!(run.end().status.code(), None);

    let folder = desk.folders().remove(0);
    assert!(desk.journal().cut_off);
    let again = muster().arg("judge").arg(&folder).output().unwrap();
    assert_eq!(code(&again), 130, "{}", said(&again));

    drop(lab);
    let mut next = Desk::new();
    let output = next.run_to_a_verdict("chat-region-down", &["--ground", "loopback", "--quiet"]);
    assert_eq!(code(&output), 0, "{}", said(&output));
}

#[test]
fn a_journal_cut_off_in_the_middle_of_a_line_is_judged_and_told() {
    let _lab = the_only_lab();
    let desk = Desk::new();
    let mut run = desk.start("database-down", &["--speed", SPEED]);
    run.until("the steady state is seen");
    run.signal("INT");
    run.end();
    let file = desk.folders()[0].join("journal.jsonl");
    let text = std::fs::read(&file).unwrap();
    std::fs::write(&file, &text[..text.len() - 7]).unwrap();
    assert!(read(&file).unwrap().cut_off);
    let judged = muster().arg("judge").arg(&file).output().unwrap();
    assert!(said(&judged).contains("the journal is cut off"), "{}", said(&judged));
}

#[test]
fn two_runs_at_once_do_not_meet() {
    let _lab = the_only_lab();
    let desk = Desk::new();
    let mut expected = 0;
    for ground in ["loopback", "namespace"].into_iter().filter(|ground| allows(ground)) {
        // At the pace that muster itself chooses; two at once are each other's load.
        let runs = ["1", "2"].map(|seed| desk.start("chat-region-down", &["--ground", ground, "--seed", seed]));
        for run in runs {
            let output = run.end();
            assert_eq!(code(&output), 0, "{ground}: {}", said(&output));
            expected += 1;
        }
    }
    assert_eq!(desk.folders().len(), expected, "a folder for each run");
}
