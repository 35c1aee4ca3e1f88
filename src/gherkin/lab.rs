//! Where a scenario's questions go.

use std::net::IpAddr;

use crate::health::EvidenceBoard;
use crate::node::Transport;
use crate::node::authoritative::{Authoritative, AuthoritativeSettings};

use super::explanation::Explanation;

/// A subject in a lab, as one scenario has it.
pub trait Lab {
    /// Whether it can be told of zones, health and places.
    fn has_inside(&self) -> bool;

    /// Serves this zone from now on.
    ///
    /// # Errors
    /// When the zone cannot be served.
    fn serve(&mut self, settings: AuthoritativeSettings) -> Result<(), Explanation>;

    /// Asks one question; `None` when there is no answer.
    ///
    /// # Errors
    /// The lab's own trouble.
    fn ask(
        &mut self,
        query: &[u8],
        source: IpAddr,
        transport: Transport,
        evidence: &EvidenceBoard,
    ) -> Result<Option<Vec<u8>>, Explanation>;
}

/// muster's own authoritative server, by bytes: no sockets, no time.
#[derive(Debug, Default)]
pub struct VirtualLab {
    subject: Option<Authoritative>,
}

impl Lab for VirtualLab {
    fn has_inside(&self) -> bool {
        true
    }

    fn serve(&mut self, settings: AuthoritativeSettings) -> Result<(), Explanation> {
        let subject = Authoritative::new(settings).map_err(|error| Explanation::cannot_run(error.to_string()))?;
        self.subject = Some(subject);
        Ok(())
    }

    fn ask(
        &mut self,
        query: &[u8],
        source: IpAddr,
        transport: Transport,
        evidence: &EvidenceBoard,
    ) -> Result<Option<Vec<u8>>, Explanation> {
        let subject = self.subject.as_mut().ok_or_else(|| Explanation::lab_broke("no zone is served"))?;
        Ok(subject.respond(query, source, transport, evidence).map(|reply| reply.bytes))
    }
}
