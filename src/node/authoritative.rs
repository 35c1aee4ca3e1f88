//! The authoritative server on its sockets.

use std::cell::RefCell;
use std::net::IpAddr;
use std::rc::Rc;

use tokio::sync::watch;

use crate::ground::Environment;
use crate::ground::Recorder;
use crate::health::EvidenceBoard;
use crate::node::{Answering, DnsServer, DnsServerError, Transport};

use crate::authoritative::Authoritative;

/// The evidence that decisions use, as the lab's checkers keep it. A lab is one thread, so nobody waits for it.
pub type SharedEvidence = Rc<RefCell<EvidenceBoard>>;

/// An authoritative server that serves. Dropping it ends it.
#[derive(Debug)]
#[must_use = "a server ends when it is dropped"]
pub struct AuthoritativeServer {
    server: DnsServer,
    silent: watch::Sender<bool>,
}

impl AuthoritativeServer {
    /// Serves on port 53 of these lab addresses; they are bound when this returns. To be called inside a `LocalSet`.
    ///
    /// # Errors
    /// When the ground carries none of the addresses, or one cannot be bound.
    pub async fn start(
        environment: &Environment,
        addresses: &[IpAddr],
        core: Authoritative,
        evidence: SharedEvidence,
    ) -> Result<Self, DnsServerError> {
        let (silent, is_silent) = watch::channel(false);
        let recorder = environment.recorder.clone();
        let answering = Serving { core: RefCell::new(core), evidence, recorder, is_silent };
        let server = DnsServer::start(&environment.ground, addresses, Rc::new(answering)).await?;
        Ok(Self { server, silent })
    }

    /// From now on every query is dropped on its way, or no longer. One that was dropped is never answered.
    pub fn silence(&self, silent: bool) {
        self.silent.send_replace(silent);
    }

    /// Ends the server. Every socket is closed when this returns.
    pub async fn stop(self) {
        self.server.stop().await;
    }
}

struct Serving {
    core: RefCell<Authoritative>,
    evidence: SharedEvidence,
    recorder: Recorder,
    is_silent: watch::Receiver<bool>,
}

impl Answering for Serving {
    async fn answer(&self, query: Vec<u8>, from: IpAddr, transport: Transport) -> Option<Vec<u8>> {
        if *self.is_silent.borrow() {
            // Who asks waits as long as it likes: a connection stays open, and nothing says that nothing will come.
            let _ = self.is_silent.clone().wait_for(|silent| !silent).await;
            return None;
        }
        let reply = self.core.borrow_mut().respond(&query, from, transport, &*self.evidence.borrow())?;
        if let Some(change) = reply.changed {
            self.recorder.record(change.into());
        }
        Some(reply.bytes)
    }
}
