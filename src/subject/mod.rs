//! The authoritative server under test, in process: a query's bytes in, an answer's bytes out, and with them the decision
//! that led there.
//!
//! It is muster's own server, or one that deviates from it on purpose. It knows no scenario, no socket and no clock.

mod deviation;
mod machines;
pub mod mutants;

use std::cell::RefCell;
use std::net::IpAddr;
use std::rc::Rc;
use std::sync::Arc;

use hickory_proto::rr::Name;

use crate::authoritative::{Authoritative, AuthoritativeSettings, ValueError, refused};
use crate::clock::LabTime;
use crate::decide::{Decision, Evidence, Remembered, Switches};
use crate::dns_message::{Asked, Transport};
use crate::health::EvidenceBoard;
use crate::zone::{HealthCheckId, Zone};

pub use crate::health::AlarmPoints;
pub use deviation::{Case, Deviation, Reference};
pub use machines::Machines;

/// The authoritative server under test.
#[derive(Debug)]
pub struct Subject {
    core: Authoritative,
    zone: Arc<Zone>,
    switches: Switches,
    board: Rc<RefCell<EvidenceBoard>>,
    deviation: &'static dyn Deviation,
    remembered: Remembered,
}

/// What a subject answers.
#[derive(Clone, Debug, PartialEq)]
pub struct Answered {
    /// The answer, as it goes onto the wire.
    pub bytes: Vec<u8>,
    /// What was decided; `None` where there was nothing to decide: the query was refused, or malformed.
    pub decision: Option<Rc<Decision>>,
}

impl Subject {
    /// A subject that answers from `settings` and from the evidence on `board`, which others keep.
    ///
    /// # Errors
    /// When a value of the zone has no wire form.
    pub fn new(
        settings: AuthoritativeSettings,
        board: Rc<RefCell<EvidenceBoard>>,
        deviation: &'static dyn Deviation,
    ) -> Result<Self, ValueError> {
        let zone = Arc::new(deviation.zone(Zone::clone(&settings.zone)));
        let switches = deviation.switches(settings.switches);
        let core = Authoritative::new(settings)?;
        Ok(Self { core, zone, switches, board, deviation, remembered: Remembered::default() })
    }

    /// Answers a query that came from `source`. `None` for what must not be answered: less than a header, or an answer.
    pub fn ask(&mut self, query: &[u8], source: IpAddr, transport: Transport, now: LabTime) -> Option<Answered> {
        let deviation = self.deviation;
        let mut asked = match Asked::read(query)? {
            Ok(asked) => asked,
            Err(refusal) => return Some(Answered { bytes: refusal, decision: None }),
        };
        asked.subnet = deviation.client_subnet(asked.subnet);
        let transport = deviation.transport(transport);
        let Some(mut placed) = self.core.place(&asked, source) else {
            return Some(Answered { bytes: asked.written(&refused(&asked), transport)?, decision: None });
        };
        placed.question.viewpoint = deviation.viewpoint(placed.question.viewpoint);
        let board = self.board.borrow();
        let evidence = Seen { board: &*board, deviation };
        let (zone, question, switches) = (&*self.zone, &placed.question, self.switches);
        let decide = |evidence: &dyn Evidence| deviation.decide(&Case { zone, question, evidence, switches });
        let decision = self.remembered.decide(question, &evidence, decide);
        let case = Case { zone, question, evidence: &evidence, switches };
        let answer = self.core.answer(&asked, &placed.question, source, &evidence, &decision);
        let answer = deviation.answer(&case, &decision, now, answer);
        Some(Answered { bytes: asked.written(&answer, transport)?, decision: Some(decision) })
    }

    /// The health machines of this subject.
    #[must_use]
    pub const fn machines(&self) -> Machines {
        Machines::of(self.deviation)
    }
}

/// The evidence as a deviation lets it be seen.
struct Seen<'e> {
    board: &'e dyn Evidence,
    deviation: &'static dyn Deviation,
}

impl Evidence for Seen<'_> {
    fn health_check_is_healthy(&self, id: &HealthCheckId) -> bool {
        self.deviation.health_check(id, self.board.health_check_is_healthy(id))
    }

    fn resource_is_healthy(&self, target: &Name) -> bool {
        self.deviation.resource(target, self.board.resource_is_healthy(target))
    }

    fn zone_is_answered(&self, target: &Name, zone: &str) -> bool {
        self.board.zone_is_answered(target, zone)
    }
}

#[cfg(test)]
mod tests;
