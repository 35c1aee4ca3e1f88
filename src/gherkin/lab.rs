//! Where a scenario's questions go.

use std::cell::RefCell;
use std::net::IpAddr;
use std::rc::Rc;

use crate::authoritative::AuthoritativeSettings;
use crate::clock::LabTime;
use crate::dns_message::Transport;
use crate::health::EvidenceBoard;
use crate::subject::{Deviation, Subject};

use super::explanation::Explanation;

/// The evidence that decisions use. A scenario is one thread, so nobody waits for it.
pub type Board = Rc<RefCell<EvidenceBoard>>;

/// A query, and how it comes.
#[derive(Clone, Copy, Debug)]
pub struct Query<'q> {
    /// As it goes onto the wire.
    pub bytes: &'q [u8],
    /// Who asks.
    pub source: IpAddr,
    /// How.
    pub transport: Transport,
    /// When, by the scenario's clock.
    pub now: LabTime,
}

/// A subject in a lab, as one scenario has it.
pub trait Lab {
    /// Whether it can be told of zones, health and places.
    fn has_inside(&self) -> bool;

    /// Serves this zone from now on, and decides by the evidence on this board.
    ///
    /// # Errors
    /// When the zone cannot be served.
    fn serve(&mut self, settings: AuthoritativeSettings, board: &Board) -> Result<(), Explanation>;

    /// Asks these questions, which do not wait for each other; the answers in their order, `None` where there is none.
    ///
    /// # Errors
    /// The lab's own trouble.
    fn ask(&mut self, queries: &[Query<'_>]) -> Result<Vec<Option<Vec<u8>>>, Explanation>;
}

/// muster's own authoritative server, or one that deviates from it, by bytes: no sockets, and only the scenario's clock.
#[derive(Debug)]
pub struct VirtualLab {
    deviation: &'static dyn Deviation,
    subject: Option<Subject>,
}

impl VirtualLab {
    /// A lab whose subject deviates so from the reference.
    #[must_use]
    pub const fn new(deviation: &'static dyn Deviation) -> Self {
        Self { deviation, subject: None }
    }
}

impl Lab for VirtualLab {
    fn has_inside(&self) -> bool {
        true
    }

    fn serve(&mut self, settings: AuthoritativeSettings, board: &Board) -> Result<(), Explanation> {
        let subject = Subject::new(settings, Rc::clone(board), self.deviation);
        self.subject = Some(subject.map_err(|error| Explanation::cannot_run(error.to_string()))?);
        Ok(())
    }

    fn ask(&mut self, queries: &[Query<'_>]) -> Result<Vec<Option<Vec<u8>>>, Explanation> {
        let subject = self.subject.as_mut().ok_or_else(|| Explanation::lab_broke("no zone is served"))?;
        let ask = |query: &Query<'_>| subject.ask(query.bytes, query.source, query.transport, query.now);
        Ok(queries.iter().map(ask).map(|answered| Some(answered?.bytes)).collect())
    }
}
