//! One stream of bytes of a connection, on its way through a chain of toxics. It has no clock and no sockets: it is
//! given what was read, told how late it is, and asked what is to be written.
//!
//! Each toxic has a queue before it. What does not fit into the queues is not asked for, so that a slow toxic slows
//! down whoever sends, as in the original.

use std::time::Duration;

use axum::body::Bytes;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::flow::{Chunk, Ending, Step, Waiting};
use super::toxic::{Kind, Toxic};
use super::toxics::Effect;

/// Chunks that wait before `latency`: fewer would limit the bandwidth. Any other toxic has one.
const LATENCY_QUEUE: usize = 1024;

/// A chain of toxics with the bytes that are in it.
#[derive(Debug)]
pub(super) struct Link {
    stages: Vec<Stage>,
    output: Waiting,
    chance: ChaCha8Rng,
}

#[derive(Debug)]
struct Stage {
    toxic: Toxic,
    waiting: Waiting,
    effect: Effect,
    /// What waits first was held back by a toxic that has changed: it goes on as it is.
    let_go: bool,
    /// Nothing goes on any more.
    over: bool,
}

impl Link {
    /// A link with these toxics. Whether each has an effect, and what chance decides later, comes from the seed.
    pub(super) fn new<'a>(toxics: impl IntoIterator<Item = &'a Toxic>, now: Duration, seed: u64) -> Self {
        let mut link = Self { stages: Vec::new(), output: Waiting::default(), chance: ChaCha8Rng::seed_from_u64(seed) };
        for toxic in toxics {
            link.add(toxic.clone(), now);
        }
        link
    }

    /// Whether there is room for what is read next.
    pub(super) fn wants_input(&self) -> bool {
        let first = self.stages.first().map_or(&self.output, |stage| &stage.waiting);
        first.ending.is_none() && self.has_room(0)
    }

    /// Takes what was read; nothing if it is over.
    pub(super) fn input(&mut self, now: Duration, bytes: Bytes) {
        if let Some(first) = self.queue(0).filter(|first| first.ending.is_none() && !bytes.is_empty()) {
            first.chunks.push_back(Chunk { at: now, bytes });
        }
    }

    /// Nothing more will be read.
    pub(super) fn end_of_input(&mut self) {
        if let Some(first) = self.queue(0) {
            first.finish(Ending::Close);
        }
    }

    /// Nothing more will be read if that is so.
    pub(super) fn end_if(&mut self, over: bool) {
        if over {
            self.end_of_input();
        }
    }

    /// Moves on what may go on now. Gives the moment at which more will, if nothing happens before.
    pub(super) fn turn(&mut self, now: Duration) -> Option<Duration> {
        loop {
            let (mut moved, mut due) = (false, None::<Duration>);
            for index in (0..self.stages.len()).rev() {
                // Each step that passes something on takes it out of a queue, and the last queue holds one chunk.
                loop {
                    match self.step(index, now) {
                        Step::Pass(chunk) => {
                            if let Some(next) = self.queue(index + 1) {
                                next.chunks.push_back(chunk);
                            }
                            moved = true;
                        }
                        Step::Wait(until) => {
                            due = Some(due.map_or(until, |due| due.min(until)));
                            break;
                        }
                        Step::Rest => break,
                        Step::End(ending) => {
                            self.finish(index, ending);
                            moved = true;
                            break;
                        }
                    }
                }
            }
            if !moved {
                return due;
            }
        }
    }

    /// Takes out what is to be written next.
    pub(super) fn output(&mut self) -> Option<Bytes> {
        self.output.chunks.pop_front().map(|chunk| chunk.bytes)
    }

    /// How the connection is to be ended, now that nothing more is to be written.
    pub(super) fn ending(&self) -> Option<Ending> {
        self.output.ending.filter(|_| self.output.chunks.is_empty())
    }

    /// Adds a toxic at the end of the chain.
    pub(super) fn add(&mut self, toxic: Toxic, now: Duration) {
        let effect = self.effect(&toxic, 0, now);
        let over = self.output.ending.is_some();
        self.stages.push(Stage { toxic, waiting: Waiting::default(), effect, let_go: false, over });
    }

    /// Changes the toxic of this name. A chunk that it held back goes on; whether it has an effect is drawn anew.
    pub(super) fn update(&mut self, toxic: &Toxic, now: Duration) {
        let Some(index) = self.index(&toxic.name) else { return };
        let passed = self.stages[index].effect.passed().unwrap_or(0);
        let effect = self.effect(toxic, passed, now);
        let stage = &mut self.stages[index];
        stage.let_go = stage.let_go || stage.effect.holds();
        stage.effect = effect;
        stage.toxic = toxic.clone();
    }

    /// Removes the toxic of this name: what it held back goes on. A connection out of which `timeout` may have dropped
    /// bytes cannot go on without them, and is closed, as in the original.
    pub(super) fn remove(&mut self, name: &str) {
        let Some(index) = self.index(name) else { return };
        if matches!(self.stages[index].effect, Effect::Timeout(_)) && !self.stages[index].over {
            self.finish(index, Ending::Close);
        }
        let removed = self.stages.remove(index);
        if let Some(next) = self.queue(index).filter(|next| !removed.over && next.ending.is_none()) {
            next.chunks.extend(removed.waiting.chunks);
            if let Some(ending) = removed.waiting.ending {
                next.finish(ending);
            }
        }
    }

    /// What a toxic does to this link, if chance has it so.
    fn effect(&mut self, toxic: &Toxic, passed: u64, now: Duration) -> Effect {
        let struck = self.chance.random::<f32>() < toxic.toxicity;
        if struck { Effect::new(&toxic.kind, passed, now) } else { Effect::None }
    }

    fn step(&mut self, index: usize, now: Duration) -> Step {
        let room = self.has_room(index + 1);
        let stage = &mut self.stages[index];
        if stage.over {
            return Step::Rest;
        }
        let passes = !stage.waiting.chunks.is_empty() && (stage.let_go || !stage.effect.passes_nothing());
        if passes && !room {
            return Step::Rest;
        }
        if std::mem::take(&mut stage.let_go) && passes {
            return stage.waiting.split(usize::MAX);
        }
        stage.effect.step(&mut stage.waiting, now, &mut self.chance)
    }

    /// Nothing goes on from this toxic any more.
    fn finish(&mut self, index: usize, ending: Ending) {
        let stage = &mut self.stages[index];
        stage.over = true;
        stage.waiting = Waiting::default();
        if let Some(next) = self.queue(index + 1) {
            next.finish(ending);
        }
    }

    /// The queue before the toxic with this index, or before the destination; none if nothing goes on from there.
    fn queue(&mut self, index: usize) -> Option<&mut Waiting> {
        match self.stages.get_mut(index) {
            Some(stage) => Some(&mut stage.waiting).filter(|_| !stage.over),
            None => Some(&mut self.output),
        }
    }

    fn has_room(&self, index: usize) -> bool {
        match self.stages.get(index) {
            Some(stage) => {
                let most = if matches!(stage.toxic.kind, Kind::Latency(_)) { LATENCY_QUEUE } else { 1 };
                !stage.over && stage.waiting.chunks.len() < most
            }
            None => self.output.chunks.is_empty(),
        }
    }

    fn index(&self, name: &str) -> Option<usize> {
        self.stages.iter().position(|stage| stage.toxic.name == name)
    }
}

#[cfg(test)]
mod tests;
