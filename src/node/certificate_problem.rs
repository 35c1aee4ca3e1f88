//! What a client that validates certificates would have against an endpoint's. Health checks go by none of it (R53-116),
//! which is why somebody should say it.

use std::sync::Arc;

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::ServerCertVerifier;
use rustls::crypto::ring;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{CertificateError, Error, RootCertStore};

use crate::health::CertificateProblem;

/// What is wrong with the first certificate of `chain`, for a client that asked for `name`. Who signed it is looked at only
/// as far as that it was not itself: which authorities a client trusts is not known here.
pub(super) fn certificate_problem(
    chain: &[CertificateDer<'_>],
    name: &ServerName<'_>,
    now: UnixTime,
) -> Option<CertificateProblem> {
    let Some(own) = chain.first() else { return Some(CertificateProblem::Unreadable) };
    let mut trusted = RootCertStore::empty();
    if trusted.add(own.clone().into_owned()).is_err() {
        return Some(CertificateProblem::Unreadable);
    }
    let provider = Arc::new(ring::default_provider());
    let verifier = WebPkiServerVerifier::builder_with_provider(Arc::new(trusted), provider).build().ok()?;
    match verifier.verify_server_cert(own, &[], name, &[], now) {
        Ok(_) => Some(CertificateProblem::SelfSigned),
        Err(Error::InvalidCertificate(problem)) => match problem {
            CertificateError::Expired
            | CertificateError::ExpiredContext { .. }
            | CertificateError::NotValidYet
            | CertificateError::NotValidYetContext { .. } => Some(CertificateProblem::OutOfDate),
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
                Some(CertificateProblem::OtherName)
            }
            CertificateError::BadEncoding => Some(CertificateProblem::Unreadable),
            _ => None,
        },
        Err(_) => None,
    }
}
