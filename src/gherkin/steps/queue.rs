//! Queues and their metric.

use crate::gherkin::catalogue::{Theme, step};
use crate::gherkin::signals::WatchedQueue;
use crate::gherkin::{Call, Explanation, World};
use crate::service::{Queue, QueueSettings};

pub(super) const THEME: Theme = Theme {
    name: "queue",
    about: "queues and their metric, the age of the oldest message; a queue publishes it for 6 h after its last use",
    entries: &[
        step!(Given | When "the queue {string} {use}", Inside, is_used, "When the queue \"orders\" is sent a message"),
        step!(Then "the queue {string} reports {string}", Inside, reports,
            "Then the queue \"orders\" reports \"an age of 90 s\""),
    ],
};

/// A new queue, which counts as used.
fn create(world: &mut World, name: &str) {
    let queue = Queue::new(&QueueSettings::default(), world.now, &mut world.signals.rng);
    world.signals.metrics.queues.insert(name.to_owned(), WatchedQueue::new(queue, world.now));
}

fn is_used(world: &mut World, call: &Call<'_>) -> Result<(), Explanation> {
    let now = world.now;
    if call.word(1) == "was just used" {
        create(world, call.word(0));
        return Ok(());
    }
    let WatchedQueue { queue, is_polled, .. } = watched(world, call)?;
    match call.word(1) {
        "is sent a message" => {
            queue.send(now);
        }
        "is polled once a minute" => *is_polled = true,
        "is left alone" => *is_polled = false,
        // Hands out a message, which its receiver does not delete.
        _ => {
            if queue.receive(now).is_none() {
                return Err(call.refuse("there is no message that could be received now"));
            }
        }
    }
    Ok(())
}

fn reports(world: &mut World, call: &Call<'_>) -> Result<(), Explanation> {
    let now = world.now;
    let found = match watched(world, call)?.queue.age_of_oldest(now) {
        Some(age) => format!("an age of {age} s"),
        None => "nothing".to_owned(),
    };
    let expected = call.word(1);
    if found == expected {
        return Ok(());
    }
    Err(Explanation::wrong(format!("queue:    {}\nexpected: {expected}\nfound:    {found} at {now}", call.word(0))))
}

fn watched<'w>(world: &'w mut World, call: &Call<'_>) -> Result<&'w mut WatchedQueue, Explanation> {
    let name = call.word(0);
    let found = world.signals.metrics.queues.get_mut(name);
    found.ok_or_else(|| call.refuse(format!("there is no queue `{name}`; expected `Given the queue … was just used`")))
}
