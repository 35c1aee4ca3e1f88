//! Queues and their metric.

use crate::gherkin::catalogue::{Theme, step};
use crate::gherkin::parameters::duration;
use crate::gherkin::signals::WatchedQueue;
use crate::gherkin::{Call, Explanation, World};
use crate::service::{Queue, QueueSettings};

pub(super) const THEME: Theme = Theme {
    name: "queue",
    about: "queues and their metric, the age of the oldest message; a queue publishes it for 6 h after its last use",
    entries: &[
        step!(Given | When "the queue {string} {use}", Inside, is_used, "When the queue \"orders\" is sent a message"),
        step!(Then "the queue {string} reports {report}", Inside, reports,
            "Then the queue \"orders\" reports an age of 90 s"),
    ],
};

/// A new queue, which counts as used.
fn create(world: &mut World, name: &str) {
    let queue = Queue::new(&QueueSettings::default(), world.now, &mut world.signals.rng);
    world.signals.metrics.queues.insert(name.to_owned(), WatchedQueue::new(queue, world.now));
}

fn is_used(world: &mut World, call: &Call<'_>) -> Result<(), Explanation> {
    let (now, chosen) = (world.now, call.choice("use", 1)?);
    if chosen.choice == "was just used" {
        create(world, call.word(0));
        return Ok(());
    }
    let WatchedQueue { queue, is_polled, .. } = watched(world, call)?;
    match chosen.choice {
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
    let (now, chosen) = (world.now, call.choice("report", 1)?);
    let expected = match chosen.choice {
        "nothing" => None,
        _ => Some(duration(chosen.text).map_err(|problem| call.refuse(problem))?.as_secs_f64()),
    };
    let found = watched(world, call)?.queue.age_of_oldest(now);
    if found == expected {
        return Ok(());
    }
    let told = |age: Option<f64>| age.map_or_else(|| "nothing".to_owned(), |age| format!("an age of {age} s"));
    let (name, expected, found) = (call.word(0), told(expected), told(found));
    Err(Explanation::wrong(format!("queue {name}\nexpected: {expected}\nfound:    {found} at {now}")))
}

fn watched<'w>(world: &'w mut World, call: &Call<'_>) -> Result<&'w mut WatchedQueue, Explanation> {
    let name = call.word(0);
    let found = world.signals.metrics.queues.get_mut(name);
    found.ok_or_else(|| call.refuse(format!("there is no queue `{name}`; expected `Given the queue … was just used`")))
}
