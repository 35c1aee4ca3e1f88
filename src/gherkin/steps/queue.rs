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
        step!(Then "the dead-letter queue of {string} reports {report}", Inside, dead_letters_report,
            "Then the dead-letter queue of \"orders\" reports an age of 60 s"),
    ],
};

/// A new queue, which counts as used.
fn create(world: &mut World, name: &str, dead_letter_after: Option<u32>) {
    let settings = QueueSettings { dead_letter_after, ..QueueSettings::default() };
    let queue = Queue::new(&settings, world.now, &mut world.signals.rng);
    world.signals.metrics.queues.insert(name.to_owned(), WatchedQueue::new(queue, world.now));
}

fn is_used(world: &mut World, call: &Call<'_>) -> Result<(), Explanation> {
    let (now, chosen) = (world.now, call.choice("use", 1)?);
    if chosen.choice.starts_with("was just used") {
        let gives_up = chosen.choice != "was just used";
        let after = gives_up.then(|| receives(chosen.text)).transpose().map_err(|problem| call.refuse(problem))?;
        create(world, call.word(0), after);
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

fn receives(text: &str) -> Result<u32, String> {
    let receives = text.parse().ok().filter(|receives| (1..=MOST_RECEIVES).contains(receives));
    receives.ok_or_else(|| format!("`{text}` is no number of receives; expected 1 to {MOST_RECEIVES}"))
}

/// Amazon SQS API Reference, `maxReceiveCount`.
const MOST_RECEIVES: u32 = 1000;

fn reports(world: &mut World, call: &Call<'_>) -> Result<(), Explanation> {
    let now = world.now;
    let found = watched(world, call)?.queue.age_of_oldest(now);
    told(world, call, "queue", found)
}

fn dead_letters_report(world: &mut World, call: &Call<'_>) -> Result<(), Explanation> {
    let now = world.now;
    let found = watched(world, call)?.queue.dead_letters().map(|dead| dead.age_of_oldest(now));
    let found = found.ok_or_else(|| {
        let name = call.word(0);
        call.refuse(format!(
            "the queue `{name}` has no dead-letter queue; expected `Given the queue \"{name}\" was just used, and gives \
             a message up after … receives` before"
        ))
    })?;
    told(world, call, "dead-letter queue of", found)
}

/// Whether `what` reports what the step expects of it.
fn told(world: &World, call: &Call<'_>, what: &str, found: Option<f64>) -> Result<(), Explanation> {
    let (now, chosen) = (world.now, call.choice("report", 1)?);
    let expected = match chosen.choice {
        "nothing" => None,
        _ => Some(duration(chosen.text).map_err(|problem| call.refuse(problem))?.as_secs_f64()),
    };
    if found == expected {
        return Ok(());
    }
    let told = |age: Option<f64>| age.map_or_else(|| "nothing".to_owned(), |age| format!("an age of {age} s"));
    let (name, expected, found) = (call.word(0), told(expected), told(found));
    Err(Explanation::wrong(format!("{what} {name}\nexpected: {expected}\nfound:    {found} at {now}")))
}

fn watched<'w>(world: &'w mut World, call: &Call<'_>) -> Result<&'w mut WatchedQueue, Explanation> {
    let name = call.word(0);
    let found = world.signals.metrics.queues.get_mut(name);
    found.ok_or_else(|| call.refuse(format!("there is no queue `{name}`; expected `Given the queue … was just used`")))
}
