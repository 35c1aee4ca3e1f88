//! A network without sockets: who listens where, in memory. A question is carried as it is, and takes no time; how long
//! its answer takes is for who answers.
//!
//! A listener that ends closes every connection to it: questions under way break off, and answers that are not sent to
//! their end.

use std::collections::BTreeMap;
use std::fmt;
use std::future::{pending, ready};
use std::io::{self, ErrorKind};
use std::net::{IpAddr, SocketAddr};
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::body::{Body, HttpBody};
use axum::http::{Request, Response};
use futures_util::future::{BoxFuture, Either, select};
use futures_util::{FutureExt, StreamExt, stream};
use tokio::sync::{Notify, watch};

/// Answers an HTTP request that came from a lab address.
pub type AnswersHttp = dyn Fn(IpAddr, Request<Body>) -> BoxFuture<'static, Response<Body>> + Send + Sync;
/// Answers the bytes of a DNS query that came from a lab address; `None`: not at all.
pub type AnswersDns = dyn Fn(Vec<u8>, IpAddr) -> BoxFuture<'static, Option<Vec<u8>>> + Send + Sync;

/// What a listener does with a connection.
#[derive(Clone)]
pub enum Answers {
    /// It accepts it, and says nothing.
    Nothing,
    /// It speaks HTTP, perhaps over TLS: who trusts any certificate sees no difference.
    Http(Arc<AnswersHttp>),
    /// It speaks DNS.
    Dns(Arc<AnswersDns>),
    /// It passes everything on to a server.
    Behind(SimulatedWay),
}

/// A way to a server, which can be stalled: then connections open, and nothing gets through. When it is stalled no
/// more, connections that were stuck are closed.
#[derive(Clone)]
pub struct SimulatedWay {
    /// The network that the server is on.
    pub network: SimulatedNetwork,
    /// Where the server listens.
    pub server: SocketAddr,
    /// Whether nothing gets through.
    pub stalled: watch::Receiver<bool>,
}

impl SimulatedWay {
    /// Who has connected already learns in no other way that there is no server.
    fn server(&self) -> io::Result<Connection> {
        self.network.connect(self.server).map_err(|_| ErrorKind::ConnectionReset.into())
    }

    fn greeted(self) -> BoxFuture<'static, io::Result<()>> {
        async move { self.server()?.greeted().await }.boxed()
    }

    fn ask(self, from: IpAddr, request: Request<Body>) -> BoxFuture<'static, io::Result<Response<Body>>> {
        async move { self.server()?.ask(from, request).await }.boxed()
    }

    async fn unless_stalled<T: Send>(&self, answer: BoxFuture<'static, T>) -> io::Result<T> {
        let mut stalled = self.stalled.clone();
        let stall = async {
            if stalled.wait_for(|now| *now).await.is_err() {
                // Nobody is left who could stall it.
                pending::<()>().await;
            }
        };
        if let Either::Right((answer, _)) = select(pin!(stall), answer).await {
            return Ok(answer);
        }
        // What was under way is lost, whether somebody lets bytes through again or nobody is left who could.
        let _ = stalled.wait_for(|now| !*now).await;
        Err(io::Error::new(ErrorKind::ConnectionReset, "the connection was stuck, and is closed"))
    }
}

/// The network of one lab; every clone is the same network.
#[derive(Clone, Default)]
pub struct SimulatedNetwork(Arc<Mutex<BTreeMap<SocketAddr, Arc<Door>>>>);

struct Door {
    answers: Answers,
    closed: AtomicBool,
    closing: Notify,
}

impl SimulatedNetwork {
    /// Listens at a socket address, until what is returned is dropped.
    ///
    /// # Errors
    /// When somebody listens there already.
    pub fn listen(&self, at: SocketAddr, answers: Answers) -> io::Result<Listening> {
        let mut doors = self.doors();
        if doors.contains_key(&at) {
            return Err(io::Error::new(ErrorKind::AddrInUse, format!("somebody listens at {at} already")));
        }
        let door = Arc::new(Door { answers, closed: AtomicBool::new(false), closing: Notify::new() });
        doors.insert(at, Arc::clone(&door));
        drop(doors);
        Ok(Listening { network: self.clone(), at, door })
    }

    /// Connects to a socket address.
    ///
    /// # Errors
    /// When nobody listens there.
    pub fn connect(&self, to: SocketAddr) -> io::Result<Connection> {
        let door = self.doors().get(&to).map(Arc::clone).ok_or(ErrorKind::ConnectionRefused)?;
        Ok(Connection { to, door })
    }

    fn doors(&self) -> MutexGuard<'_, BTreeMap<SocketAddr, Arc<Door>>> {
        // Nothing panics while it holds this.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for SimulatedNetwork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.doors().keys()).finish()
    }
}

/// Somebody listens. Ends, with every connection, when it is dropped.
#[must_use = "who is dropped listens no longer"]
pub struct Listening {
    network: SimulatedNetwork,
    at: SocketAddr,
    door: Arc<Door>,
}

impl Drop for Listening {
    fn drop(&mut self) {
        self.network.doors().remove(&self.at);
        self.door.closed.store(true, Ordering::Relaxed);
        self.door.closing.notify_waiters();
    }
}

/// A connection; cheap to clone.
#[derive(Clone)]
pub struct Connection {
    to: SocketAddr,
    door: Arc<Door>,
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Connection").field(&self.to).finish()
    }
}

impl Connection {
    /// Where it leads.
    #[must_use]
    pub const fn peer(&self) -> SocketAddr {
        self.to
    }

    /// Whether its other end still listens.
    #[must_use]
    pub fn is_open(&self) -> bool {
        !self.door.closed.load(Ordering::Relaxed)
    }

    /// Waits until its other end would begin to speak.
    ///
    /// # Errors
    /// When the connection breaks before it does.
    pub async fn greeted(&self) -> io::Result<()> {
        let Answers::Behind(way) = &self.door.answers else { return self.unless_closed(ready(()).boxed()).await };
        self.unless_closed(way.clone().greeted()).await?
    }

    /// Asks by HTTP, from a lab address. Who drops what this returns, or the answer, has hung up.
    ///
    /// # Errors
    /// When the connection breaks before there is an answer, or its other end speaks no HTTP.
    pub async fn ask(&self, from: IpAddr, request: Request<Body>) -> io::Result<Response<Body>> {
        let answer = match &self.door.answers {
            Answers::Http(answers) => self.unless_closed(answers(from, request)).await?,
            Answers::Behind(way) => self.unless_closed(way.clone().ask(from, request)).await??,
            Answers::Nothing | Answers::Dns(_) => return Err(ErrorKind::ConnectionReset.into()),
        };
        // What is here in full has arrived, whatever becomes of who sent it.
        let is_here = answer.body().size_hint().exact().is_some();
        Ok(if is_here { answer } else { answer.map(|body| self.until_closed(body)) })
    }

    /// Asks by DNS, from a lab address.
    ///
    /// # Errors
    /// When there is no answer, or the other end speaks no DNS.
    pub async fn ask_dns(&self, from: IpAddr, query: Vec<u8>) -> io::Result<Vec<u8>> {
        let Answers::Dns(answers) = &self.door.answers else { return Err(ErrorKind::ConnectionReset.into()) };
        self.unless_closed(answers(query, from)).await?.ok_or_else(|| ErrorKind::TimedOut.into())
    }

    async fn unless_closed<T: Send>(&self, answer: BoxFuture<'static, T>) -> io::Result<T> {
        let closing = self.door.closing.notified();
        if !self.is_open() {
            return Err(ErrorKind::ConnectionReset.into());
        }
        let answer = async {
            match &self.door.answers {
                Answers::Behind(way) => way.unless_stalled(answer).await,
                Answers::Nothing | Answers::Http(_) | Answers::Dns(_) => Ok(answer.await),
            }
        };
        match select(pin!(answer), pin!(closing)).await {
            Either::Left((answer, _)) => answer,
            Either::Right(_) => Err(io::Error::new(ErrorKind::ConnectionReset, "the connection was closed")),
        }
    }

    /// The body, broken off when the other end is gone.
    fn until_closed(&self, body: Body) -> Body {
        let whole = (self.clone(), body.into_data_stream());
        Body::from_stream(stream::unfold(Some(whole), |rest| async move {
            let (connection, mut data) = rest?;
            let piece = connection.unless_closed(Box::pin(async move { (data.next().await, data) })).await;
            match piece {
                Ok((Some(Ok(piece)), data)) => Some((Ok(piece), Some((connection, data)))),
                Ok((Some(Err(broken)), _)) => Some((Err(io::Error::other(broken)), None)),
                Ok((None, _)) => None,
                Err(closed) => Some((Err(closed), None)),
            }
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::body::{Bytes, to_bytes};

    const HERE: &str = "192.0.2.10:80";
    const FROM: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(198, 51, 100, 1));

    fn here() -> SocketAddr {
        HERE.parse().unwrap()
    }

    /// Tells who asks; at `/never` it does not, and at `/stream` the answer has a beginning only.
    fn telling() -> Answers {
        Answers::Http(Arc::new(|from, request| {
            async move {
                match request.uri().path() {
                    "/never" => std::future::pending().await,
                    "/stream" => {
                        let first = stream::iter([Ok::<_, io::Error>(Bytes::from("first"))]);
                        Response::new(Body::from_stream(first.chain(stream::pending())))
                    }
                    _ => Response::new(Body::from(from.to_string())),
                }
            }
            .boxed()
        }))
    }

    fn request(path: &str) -> Request<Body> {
        Request::get(path).body(Body::empty()).unwrap()
    }

    #[test]
    fn a_question_is_answered_at_once_and_says_from_where_it_comes() {
        let network = SimulatedNetwork::default();
        let _listening = network.listen(here(), telling()).unwrap();
        let answer = network.connect(here()).unwrap().ask(FROM, request("/")).now_or_never().unwrap().unwrap();
        let body = to_bytes(answer.into_body(), 100).now_or_never().unwrap().unwrap();
        assert_eq!(body, FROM.to_string());
    }

    /// A way to what listens at [`HERE`].
    fn way(network: &SimulatedNetwork) -> (watch::Sender<bool>, Connection, Listening) {
        let (stall, stalled) = watch::channel(false);
        let front = "192.0.2.10:8080".parse().unwrap();
        let way = SimulatedWay { network: network.clone(), server: here(), stalled };
        let listening = network.listen(front, Answers::Behind(way)).unwrap();
        (stall, network.connect(front).unwrap(), listening)
    }

    #[test]
    fn a_way_leads_to_its_server_and_closes_what_cannot_be_led_on() {
        let network = SimulatedNetwork::default();
        let (_stall, connection, _way) = way(&network);
        let ask = |path| connection.ask(FROM, request(path)).now_or_never();
        assert_eq!(ask("/").unwrap().unwrap_err().kind(), ErrorKind::ConnectionReset);
        assert!(connection.greeted().now_or_never().unwrap().is_err());
        let _listening = network.listen(here(), telling()).unwrap();
        assert_eq!(ask("/").unwrap().unwrap().status(), 200);
        connection.greeted().now_or_never().unwrap().unwrap();
    }

    #[test]
    fn on_a_stalled_way_everybody_waits_and_is_hung_up_on_when_it_is_let_go() {
        let network = SimulatedNetwork::default();
        let _listening = network.listen(here(), telling()).unwrap();
        let (stall, connection, _way) = way(&network);
        let stream = connection.ask(FROM, request("/stream")).now_or_never().unwrap().unwrap();
        let mut stream = stream.into_body().into_data_stream();
        assert_eq!(stream.next().now_or_never().unwrap().unwrap().unwrap(), "first");
        let mut under_way = Box::pin(connection.ask(FROM, request("/never")));
        assert!((&mut under_way).now_or_never().is_none());

        stall.send_replace(true);
        let mut late = Box::pin(connection.ask(FROM, request("/")));
        let mut greeting = Box::pin(connection.greeted());
        let mut piece = Box::pin(stream.next());
        assert!((&mut late).now_or_never().is_none() && (&mut greeting).now_or_never().is_none());
        assert!((&mut under_way).now_or_never().is_none() && (&mut piece).now_or_never().is_none());

        stall.send_replace(false);
        for stuck in [under_way.now_or_never(), late.now_or_never()] {
            assert_eq!(stuck.unwrap().unwrap_err().kind(), ErrorKind::ConnectionReset);
        }
        assert!(greeting.now_or_never().unwrap().is_err() && piece.now_or_never().unwrap().unwrap().is_err());
        assert_eq!(connection.ask(FROM, request("/")).now_or_never().unwrap().unwrap().status(), 200);
    }

    #[test]
    fn where_nobody_listens_any_more_connections_are_refused_and_old_ones_closed() {
        let network = SimulatedNetwork::default();
        let listening = network.listen(here(), telling()).unwrap();
        assert_eq!(network.listen(here(), Answers::Nothing).err().unwrap().kind(), ErrorKind::AddrInUse);
        let connection = network.connect(here()).unwrap();
        drop(listening);
        assert!(!connection.is_open());
        assert_eq!(network.connect(here()).unwrap_err().kind(), ErrorKind::ConnectionRefused);
        assert!(connection.ask(FROM, request("/")).now_or_never().unwrap().is_err());
        drop(network.listen(here(), Answers::Nothing).unwrap());
    }

    #[test]
    fn a_question_under_way_breaks_off_when_its_listener_ends() {
        let network = SimulatedNetwork::default();
        let listening = network.listen(here(), telling()).unwrap();
        let connection = network.connect(here()).unwrap();
        let mut asking = pin!(connection.ask(FROM, request("/never")));
        assert!(asking.as_mut().now_or_never().is_none());
        drop(listening);
        assert_eq!(asking.now_or_never().unwrap().unwrap_err().kind(), ErrorKind::ConnectionReset);
    }

    #[test]
    fn an_answer_under_way_breaks_off_when_its_listener_ends() {
        let network = SimulatedNetwork::default();
        let listening = network.listen(here(), telling()).unwrap();
        let connection = network.connect(here()).unwrap();
        let answer = connection.ask(FROM, request("/stream")).now_or_never().unwrap().unwrap();
        let mut pieces = answer.into_body().into_data_stream();
        assert_eq!(pieces.next().now_or_never().unwrap().unwrap().unwrap(), "first");
        assert!(pieces.next().now_or_never().is_none());
        drop(listening);
        assert!(pieces.next().now_or_never().unwrap().unwrap().is_err());
        assert!(pieces.next().now_or_never().unwrap().is_none());
    }
}
