//! How a health checker shakes hands with an HTTPS endpoint (R53-116, R53-117): TLS 1.2 or 1.3, any certificate.
//!
//! TLS 1.0 and 1.1, which Route 53 still speaks, are not spoken here: they are deprecated (RFC 8996), and rustls does not
//! have them. It knows nothing of HTTP, and nothing of time.

use std::fmt;
use std::io;
use std::sync::Arc;

use rustls::ClientConfig;
use rustls::client::{Resumption, verify_server_name};
use rustls::crypto::ring;
use rustls::pki_types::{CertificateDer, InvalidDnsNameError, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::version::{TLS12, TLS13};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use crate::health::CertificateProblem;

use super::certificate_problem::certificate_problem;
use super::unverified::AnyCertificate;

/// Why no hands can be shaken, whatever the endpoint says.
#[derive(Debug, thiserror::Error)]
pub enum HandshakeError {
    /// The name cannot be sent.
    #[error("`{name}` cannot be sent in a client hello: {problem}; write a host name, or `sni: false`")]
    ServerName {
        /// The name.
        name: String,
        /// What is wrong with it.
        problem: InvalidDnsNameError,
    },
    /// The TLS library does not start.
    #[error("TLS does not start: {0}")]
    Tls(#[from] rustls::Error),
}

/// How to shake hands; cheap to clone.
#[derive(Clone)]
pub(super) struct Handshake {
    connector: TlsConnector,
    sent_name: Option<ServerName<'static>>,
}

impl Handshake {
    /// Sends `server_name` in the client hello; with `None`, no name (R53-117).
    ///
    /// # Errors
    /// When the name cannot be one.
    pub(super) fn new(server_name: Option<&str>) -> Result<Self, HandshakeError> {
        let sent_name = server_name.map(|name| {
            ServerName::try_from(name.to_owned())
                .map_err(|problem| HandshakeError::ServerName { name: name.to_owned(), problem })
        });
        let provider = ring::default_provider();
        let any = AnyCertificate(provider.signature_verification_algorithms);
        let mut config = ClientConfig::builder_with_provider(Arc::new(provider))
            .with_protocol_versions(&[&TLS13, &TLS12])?
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(any))
            .with_no_client_auth();
        // Each probe is a stranger, and sees the certificate.
        config.resumption = Resumption::disabled();
        Ok(Self { connector: TlsConnector::from(Arc::new(config)), sent_name: sent_name.transpose()? })
    }

    /// Shakes hands over a new connection. When a name was sent and the certificate that came back lacks it, the
    /// handshake is done again without a name, over the connection that `again` makes (R53-117). A name that stands
    /// only in the certificate's common name counts as lacking: with certificates of this century it is never the only
    /// place (RFC 6125, RFC 9525).
    ///
    /// # Errors
    /// What went wrong, for people.
    pub(super) async fn shake(
        &self,
        stream: TcpStream,
        again: impl Future<Output = io::Result<TcpStream>>,
    ) -> Result<TlsStream<TcpStream>, String> {
        let Some(name) = &self.sent_name else { return self.without_a_name(stream).await };
        let named = self.connector.connect(name.clone(), stream).await.map_err(said)?;
        if named.get_ref().1.peer_certificates().is_some_and(|chain| names(chain, name)) {
            return Ok(named);
        }
        drop(named);
        self.without_a_name(again.await.map_err(said)?).await
    }

    /// What a client that validates would have against the certificate of a connection that was shaken. Without a name
    /// that is sent, it is the address that the certificate is held against.
    pub(super) fn certificate_problem(&self, shaken: &TlsStream<TcpStream>) -> Option<CertificateProblem> {
        let (stream, session) = shaken.get_ref();
        let asked_for = self.sent_name.clone().or_else(|| Some(ServerName::from(stream.peer_addr().ok()?.ip())))?;
        certificate_problem(session.peer_certificates().unwrap_or_default(), &asked_for, UnixTime::now())
    }

    async fn without_a_name(&self, stream: TcpStream) -> Result<TlsStream<TcpStream>, String> {
        // An address is never sent as a server name (RFC 6066, section 3).
        let address = ServerName::from(stream.peer_addr().map_err(said)?.ip());
        self.connector.connect(address, stream).await.map_err(said)
    }
}

impl fmt::Debug for Handshake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Handshake").field("sent_name", &self.sent_name).finish_non_exhaustive()
    }
}

#[expect(clippy::needless_pass_by_value, reason = "made for `map_err`, which gives it away")]
fn said(error: io::Error) -> String {
    format!("TLS: {error}")
}

/// Whether a chain's first certificate is for `name`. One that cannot be read is for nobody.
fn names(chain: &[CertificateDer<'_>], name: &ServerName<'_>) -> bool {
    let Some(own) = chain.first() else { return false };
    ParsedCertificate::try_from(own).is_ok_and(|own| verify_server_name(&own, name).is_ok())
}
