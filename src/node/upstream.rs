//! What a gateway has behind it: muster's own engine, or one that runs already, somewhere.
//!
//! Each request has a connection of its own, and that hangs on the answer's body: who drops the answer closes it, and
//! nothing is left in a task of its own. Only this file has the key of a real engine, and it never tells it.

use std::fmt;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::http::header::{self, HeaderValue};
use axum::http::uri::{Authority, PathAndQuery, Scheme};
use axum::http::{Request, Response, Uri};
use futures_util::future::{Either, select};
use futures_util::{FutureExt, StreamExt, stream};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, RootCertStore};
use serde_json::Value;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

use crate::plan::EnginePlan;

use crate::ground::SimulatedNetwork;

use super::connections::connect;
use super::http_client::ANYBODY;

/// Why there is no way to an engine.
#[derive(Debug, thiserror::Error)]
pub enum UpstreamError {
    /// Its URL is none.
    #[error(
        "engine at `{found}`: {problem}; expected http:// or https://, a host, and no /v1: https://llm.example.com"
    )]
    BaseUrl {
        /// As it was given.
        found: String,
        /// What is wrong with it.
        problem: String,
    },
    /// The key is not there.
    #[error("engine at `{base_url}`: its key is expected in the environment variable {variable}, which {problem}")]
    NoKey {
        /// The engine.
        base_url: String,
        /// The variable.
        variable: String,
        /// What is wrong with it. Never what it holds.
        problem: &'static str,
    },
    /// No certificate of an engine could be checked.
    #[error("engine at `{base_url}`: this machine's certificate authorities cannot be used: {problem}")]
    NoTrust {
        /// The engine.
        base_url: String,
        /// What the library said.
        problem: String,
    },
    /// Its own engine has no address on this ground.
    #[error("this ground carries no address of the engine, out of {0}")]
    NoAddress(IpAddr),
}

/// A way to an engine; cheap to clone.
#[derive(Clone, Debug)]
pub(super) struct Upstream {
    way: Way,
    /// What every path begins with; empty or `/something`.
    prefix: String,
    key: Option<HeaderValue>,
    /// The model that is asked for, whatever the request says.
    model: Option<String>,
}

#[derive(Clone)]
enum Way {
    /// On this machine, from this address of it; in memory where the lab has a simulated network.
    Inside { network: Option<SimulatedNetwork>, from: Option<IpAddr>, to: SocketAddr },
    /// Anywhere.
    Outside { host: String, port: u16, authority: HeaderValue, tls: Option<Arc<ClientConfig>> },
}

impl fmt::Debug for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Inside { from, to, .. } => f.debug_struct("Inside").field("from", from).field("to", to).finish(),
            Self::Outside { authority, .. } => f.debug_tuple("Outside").field(authority).finish(),
        }
    }
}

impl Upstream {
    /// The way to a socket address of this machine, from an address of it.
    pub(super) const fn inside(network: Option<SimulatedNetwork>, from: Option<IpAddr>, to: SocketAddr) -> Self {
        Self { way: Way::Inside { network, from, to }, prefix: String::new(), key: None, model: None }
    }

    /// The way to an engine of this plan. `here` says where its address is on this machine, `variable` what an
    /// environment variable holds; connections inside the lab come from `from`.
    ///
    /// # Errors
    /// When there is none: the URL is none, the key is missing.
    pub(super) fn to(
        plan: &EnginePlan,
        network: Option<SimulatedNetwork>,
        from: Option<IpAddr>,
        here: impl Fn(IpAddr) -> Option<SocketAddr>,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<Self, UpstreamError> {
        match plan {
            EnginePlan::Own { address, .. } => {
                let to = here(*address).ok_or(UpstreamError::NoAddress(*address))?;
                let from = from.filter(|from| from.is_ipv4() == to.is_ipv4());
                Ok(Self::inside(network, from, to))
            }
            EnginePlan::Real { base_url, model, api_key_from } => {
                let (way, prefix) = outside(base_url)?;
                let key = api_key_from.as_deref().map(|name| key(base_url, name, variable(name))).transpose()?;
                Ok(Self { way, prefix, key, model: Some(model.clone()) })
            }
        }
    }

    /// Asks once. The body comes as it is made; it keeps the connection open.
    pub(super) async fn ask(&self, mut request: Request<Bytes>) -> io::Result<Response<Body>> {
        let asked = request.uri().path_and_query().map_or("/", PathAndQuery::as_str);
        *request.uri_mut() = format!("{}{asked}", self.prefix).parse().map_err(io::Error::other)?;
        if let Some(model) = &self.model {
            let renamed = with_model(request.body(), model);
            *request.body_mut() = renamed.unwrap_or_else(|| request.body().clone());
        }
        let headers = request.headers_mut();
        headers.remove(header::CONTENT_LENGTH);
        if let Some(key) = &self.key {
            headers.insert(header::AUTHORIZATION, key.clone());
        }
        match &self.way {
            Way::Inside { network: Some(network), from, to } => {
                network.connect(*to)?.ask(from.unwrap_or(ANYBODY), request.map(Body::from)).await
            }
            Way::Inside { network: None, from, to } => {
                // HTTP/1.1 wants a host; whoever asked has named one, but for the lab's own.
                if !headers.contains_key(header::HOST) {
                    headers.insert(header::HOST, HeaderValue::from_str(&to.to_string()).map_err(io::Error::other)?);
                }
                exchange(connect(*from, *to).await?, request).await
            }
            Way::Outside { host, port, authority, tls } => {
                headers.insert(header::HOST, authority.clone());
                let stream = TcpStream::connect((host.as_str(), *port)).await?;
                stream.set_nodelay(true)?;
                match tls {
                    None => exchange(stream, request).await,
                    Some(tls) => {
                        let name = ServerName::try_from(host.clone()).map_err(io::Error::other)?;
                        let stream = TlsConnector::from(Arc::clone(tls)).connect(name, stream).await?;
                        exchange(stream, request).await
                    }
                }
            }
        }
    }
}

fn outside(base_url: &str) -> Result<(Way, String), UpstreamError> {
    let wrong = |problem: String| UpstreamError::BaseUrl { found: base_url.to_owned(), problem };
    let url: Uri = base_url.parse().map_err(|problem: axum::http::uri::InvalidUri| wrong(problem.to_string()))?;
    let authority = url.authority().ok_or_else(|| wrong("it names no host".to_owned()))?;
    if authority.as_str().contains('@') {
        return Err(wrong("it holds a user name".to_owned()));
    }
    let secure = match url.scheme() {
        Some(scheme) if *scheme == Scheme::HTTPS => true,
        Some(scheme) if *scheme == Scheme::HTTP => false,
        _ => return Err(wrong("it has another scheme".to_owned())),
    };
    let prefix = url.path().trim_end_matches('/').to_owned();
    if prefix.ends_with("/v1") || url.query().is_some() {
        return Err(wrong("it says more than where the engine is".to_owned()));
    }
    let tls = if secure { Some(Arc::new(trust(base_url)?)) } else { None };
    let port = url.port_u16().unwrap_or(if secure { 443 } else { 80 });
    let host = authority.host().trim_matches(['[', ']']).to_owned();
    let authority = named(authority).map_err(|problem| wrong(problem.to_string()))?;
    Ok((Way::Outside { host, port, authority, tls }, prefix))
}

fn named(authority: &Authority) -> Result<HeaderValue, header::InvalidHeaderValue> {
    HeaderValue::from_str(authority.as_str())
}

/// Trusts whom this machine trusts.
fn trust(base_url: &str) -> Result<ClientConfig, UpstreamError> {
    let no_trust = |problem: String| UpstreamError::NoTrust { base_url: base_url.to_owned(), problem };
    let found = rustls_native_certs::load_native_certs();
    let mut roots = RootCertStore::empty();
    let (usable, _) = roots.add_parsable_certificates(found.certs);
    if usable == 0 {
        let problem = found.errors.first().map_or_else(|| "there are none".to_owned(), ToString::to_string);
        return Err(no_trust(problem));
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let config = config.map_err(|problem| no_trust(problem.to_string()))?;
    Ok(config.with_root_certificates(roots).with_no_client_auth())
}

fn key(base_url: &str, variable: &str, value: Option<String>) -> Result<HeaderValue, UpstreamError> {
    let no_key =
        |problem| UpstreamError::NoKey { base_url: base_url.to_owned(), variable: variable.to_owned(), problem };
    let value = value.filter(|value| !value.is_empty()).ok_or_else(|| no_key("is not set"))?;
    let mut key = HeaderValue::from_str(&format!("Bearer {value}")).map_err(|_| no_key("does not hold a key"))?;
    // So that nothing that prints headers prints it.
    key.set_sensitive(true);
    Ok(key)
}

/// A JSON request with another model; `None` when it names none.
fn with_model(body: &Bytes, model: &str) -> Option<Bytes> {
    let mut request: Value = serde_json::from_slice(body).ok()?;
    *request.as_object_mut()?.get_mut("model")? = Value::from(model);
    serde_json::to_vec(&request).ok().map(Bytes::from)
}

async fn exchange<S>(stream: S, request: Request<Bytes>) -> io::Result<Response<Body>>
where
    S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
{
    let request = request.map(Body::from);
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await.map_err(io::Error::other)?;
    let ask = Box::pin(async move { sender.send_request(request).await });
    let (answer, connection) = match select(ask, connection).await {
        Either::Left((answer, connection)) => (answer, Some(connection)),
        // The connection has ended, and left its last word with the question.
        Either::Right((_, ask)) => (ask.await, None),
    };
    let (head, body) = answer.map_err(io::Error::other)?.into_parts();
    let mut data = Body::new(body).into_data_stream();
    let Some(connection) = connection else { return Ok(Response::from_parts(head, Body::from_stream(data))) };
    let mut connection = connection.fuse();
    let driven = stream::poll_fn(move |context| {
        // Its end, and what it ended with, the body tells too.
        let _ = connection.poll_unpin(context);
        data.poll_next_unpin(context)
    });
    Ok(Response::from_parts(head, Body::from_stream(driven)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn real(base_url: &str, api_key_from: Option<&str>) -> EnginePlan {
        let api_key_from = api_key_from.map(str::to_owned);
        EnginePlan::Real { base_url: base_url.to_owned(), model: "gpt-real".to_owned(), api_key_from }
    }

    fn way(plan: &EnginePlan) -> Result<Upstream, UpstreamError> {
        let environment = |name: &str| (name == "LLM_KEY").then(|| "sesame-42".to_owned());
        Upstream::to(plan, None, None, |_| None, environment)
    }

    #[test]
    fn a_key_that_is_missing_is_told_by_its_variable() {
        let error = way(&real("http://llm.example.com", Some("OTHER_KEY"))).unwrap_err();
        let text = "engine at `http://llm.example.com`: its key is expected in the environment variable OTHER_KEY, \
                    which is not set";
        assert_eq!(error.to_string(), text);
    }

    #[test]
    fn a_key_is_never_printed() {
        let upstream = way(&real("http://llm.example.com", Some("LLM_KEY"))).unwrap();
        assert_eq!(upstream.key.as_ref().unwrap(), "Bearer sesame-42");
        assert!(!format!("{upstream:?}").contains("sesame"), "{upstream:?}");
        let error =
            Upstream::to(&real("http://llm", Some("K")), None, None, |_| None, |_| Some("sesame\n42".to_owned()));
        let error = error.unwrap_err();
        assert!(!format!("{error} {error:?}").contains("sesame"));
    }

    #[test]
    fn what_is_no_base_url_is_told_with_what_was_expected() {
        for wrong in ["llm.example.com", "ftp://llm.example.com", "https://llm.example.com/v1", "http://me@llm", ""] {
            let error = way(&real(wrong, None)).unwrap_err();
            assert!(matches!(error, UpstreamError::BaseUrl { .. }), "{wrong}: {error}");
            assert!(error.to_string().ends_with("https://llm.example.com"), "{error}");
        }
        assert_eq!(way(&real("http://llm.example.com:8080/openai/", None)).unwrap().prefix, "/openai");
    }

    #[test]
    fn only_a_request_that_names_a_model_is_given_another() {
        let renamed = with_model(&Bytes::from_static(br#"{"model":"chat-model","prompt":"x"}"#), "gpt-real");
        let renamed: Value = serde_json::from_slice(&renamed.unwrap()).unwrap();
        assert_eq!(renamed, serde_json::json!({"model": "gpt-real", "prompt": "x"}));
        for other in ["", "not json", "[]", "{}"] {
            assert_eq!(with_model(&Bytes::from(other), "gpt-real"), None);
        }
    }
}
