//! The certificate that a cell serves HTTPS with: self-signed, of its own making, for the names it is given.
//!
//! Nobody in a lab validates it (R53-116). It knows nothing of what is served.

use std::fmt;
use std::sync::Arc;

use rustls::ServerConfig;
use rustls::crypto::ring;
use rustls::pki_types::PrivatePkcs8KeyDer;
use rustls::version::{TLS12, TLS13};
use tokio_rustls::TlsAcceptor;

/// Why there is no certificate.
#[derive(Debug, thiserror::Error)]
pub enum CertificateError {
    /// It could not be made.
    #[error("failed to make a certificate for {names}: {problem}")]
    Names {
        /// The names that it was to be for.
        names: String,
        /// What is wrong.
        problem: rcgen::Error,
    },
    /// The TLS library does not take it.
    #[error("failed to serve with a certificate of our own making: {0}")]
    Tls(#[from] rustls::Error),
}

/// A certificate and its key, ready to serve with over TLS 1.2 and 1.3; cheap to clone.
#[derive(Clone)]
pub struct Certificate {
    acceptor: TlsAcceptor,
}

impl Certificate {
    /// Makes one for these names and addresses, with a fresh key: a lab makes one and gives it to all its cells. It is
    /// good for centuries.
    ///
    /// # Errors
    /// When a name cannot stand in a certificate.
    pub fn self_signed(names: &[String]) -> Result<Self, CertificateError> {
        let made = rcgen::generate_simple_self_signed(names)
            .map_err(|problem| CertificateError::Names { names: names.join(", "), problem })?;
        let key = PrivatePkcs8KeyDer::from(made.signing_key.serialize_der());
        let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_protocol_versions(&[&TLS13, &TLS12])?
            .with_no_client_auth()
            .with_single_cert(vec![made.cert.der().clone()], key.into())?;
        Ok(Self::from(config))
    }

    pub(super) const fn acceptor(&self) -> &TlsAcceptor {
        &self.acceptor
    }
}

impl From<ServerConfig> for Certificate {
    fn from(config: ServerConfig) -> Self {
        Self { acceptor: TlsAcceptor::from(Arc::new(config)) }
    }
}

impl fmt::Debug for Certificate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Certificate").finish_non_exhaustive()
    }
}
