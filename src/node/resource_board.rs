//! Where the checks of a load balancer show what evaluate target health is to see: on the board of this process, or on
//! one elsewhere.

use std::fmt;
use std::rc::Rc;

use tokio::sync::mpsc;

use crate::health::ResourceEvidence;

use super::authoritative::SharedEvidence;

/// Shows the health of AWS resources; cheap to clone.
#[derive(Clone)]
pub struct ResourceBoard(Rc<dyn Fn(ResourceEvidence)>);

impl ResourceBoard {
    /// Shows it on a board of this process.
    #[must_use]
    pub fn here(evidence: SharedEvidence) -> Self {
        Self(Rc::new(move |news| evidence.borrow_mut().take(news)))
    }

    /// Sends it to whoever keeps the board. After their end nobody listens, and that is no error.
    #[must_use]
    pub fn elsewhere(news: mpsc::UnboundedSender<ResourceEvidence>) -> Self {
        Self(Rc::new(move |told| {
            let _ = news.send(told);
        }))
    }

    /// Shows it.
    pub fn show(&self, news: ResourceEvidence) {
        (self.0)(news);
    }
}

impl fmt::Debug for ResourceBoard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ResourceBoard")
    }
}
