//! A server that is already serving, asked over the network. Nothing of its inside is known.

use std::io::{self, ErrorKind};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use futures_util::TryStreamExt;
use hickory_proto::op::{Message, ResponseCode};
use hickory_proto::rr::{Name, RecordType};
use tokio::time::timeout;

use crate::authoritative::AuthoritativeSettings;
use crate::clock::LabTime;
use crate::dns_message::Transport;
use crate::zone::type_text;

use super::exchange::{Answer, Edns0, Question};
use super::explanation::Explanation;
use super::lab::{Board, Lab, Query};
use super::stop::{Early, Stop};
use super::wire::{Route, exchange, runtime};

/// How long a server that was silent is given to show that it is there. Wall time.
const ONCE_MORE: Duration = Duration::from_secs(2);
/// So many questions without an answer end a run, although the server is there: each of them takes seconds.
const MOST_SILENCES: usize = 3;

/// A server at an address and port.
#[derive(Clone, Debug)]
pub struct ServerLab {
    server: SocketAddr,
    /// The zone that it is asked of.
    apex: Option<Name>,
    stop: Stop,
}

impl ServerLab {
    /// The server there. When it does not answer, the run is asked to stop.
    #[must_use]
    pub const fn new(server: SocketAddr, stop: Stop) -> Self {
        Self { server, apex: None, stop }
    }

    fn route(&self) -> Route {
        let any: IpAddr =
            if self.server.is_ipv4() { Ipv4Addr::UNSPECIFIED.into() } else { Ipv6Addr::UNSPECIFIED.into() };
        Route { source: SocketAddr::new(any, 0), server: self.server }
    }

    /// The question that every authority of a zone answers.
    fn whose(&self, apex: &Name) -> Result<Vec<u8>, Explanation> {
        let (asker, source) = (String::new(), self.server.ip());
        let question = Question { name: apex.clone(), rtype: RecordType::SOA, asker, source, edns: Edns0::Plain };
        question.to_bytes(0).map_err(Explanation::lab_broke)
    }

    fn read(&mut self, apex: &Name, query: &[Query<'_>]) -> Result<Answer, Explanation> {
        let bytes = self.ask(query)?.into_iter().next().flatten().unwrap_or_default();
        Answer::read(&bytes)
            .map_err(|problem| Explanation::wrong(format!("asked SOA {apex}: the answer is no DNS message: {problem}")))
    }

    fn by_udp<'q>(&self, bytes: &'q [u8]) -> Query<'q> {
        Query { bytes, source: self.server.ip(), transport: Transport::Udp, now: LabTime::START }
    }

    /// Whether the server answers anything at all, asked once more.
    fn is_there(&self, query: &Query<'_>) -> Result<bool, Explanation> {
        let whose = self.apex.as_ref().map(|apex| self.whose(apex)).transpose()?;
        let query = whose.as_deref().map_or(*query, |bytes| self.by_udp(bytes));
        let again = async {
            let answers = exchange([(self.route(), query)]).try_collect::<Vec<_>>();
            timeout(ONCE_MORE, answers).await
        };
        Ok(matches!(runtime()?.block_on(again), Ok(Ok(_))))
    }

    /// No answer came. Whoever waits for one for seconds, scenario by scenario, learns nothing more.
    fn unanswered(&self, query: &Query<'_>, error: &io::Error) -> Explanation {
        let is_there = match self.is_there(query) {
            Ok(is_there) => is_there,
            Err(trouble) => return trouble,
        };
        let silences = self.stop.one_more_silence();
        let asked = asked_text(query);
        let ends = if !is_there {
            format!(
                "; then once more, for {} s, and still nothing. The run ends here. Next: see that an authoritative \
                 server listens there and answers this machine, for example by `dig @{} -p {} {}`",
                ONCE_MORE.as_secs(),
                self.server.ip(),
                self.server.port(),
                self.apex.as_ref().map_or_else(|| asked.clone(), |apex| format!("{apex} SOA")),
            )
        } else if silences >= MOST_SILENCES {
            format!(
                "; then once more for the zone, and it answered. This is question {silences} without an answer, so the \
                 run ends here. Next: see why the server drops them: a limit of its rate, or a firewall"
            )
        } else {
            "; then once more for the zone, and it answered. Next: see why the server drops this question: a limit of its rate, for example".to_owned()
        };
        if !is_there || silences >= MOST_SILENCES {
            self.stop.ask(Early::NobodyAnswers);
        }
        let by = if query.transport == Transport::Udp { "UDP" } else { "TCP" };
        Explanation::lab_broke(format!(
            "{} does not answer: asked {asked} over {by}: {}{ends}",
            self.server,
            told(error)
        ))
    }
}

impl Lab for ServerLab {
    fn has_inside(&self) -> bool {
        false
    }

    /// The server serves what it serves: here it is only seen that it is an authority of the zone.
    fn serve(&mut self, settings: AuthoritativeSettings, _: &Board) -> Result<(), Explanation> {
        let apex = self.apex.insert(settings.zone.apex.clone()).clone();
        let whose = self.whose(&apex)?;
        let mut answer = self.read(&apex, &[self.by_udp(&whose)])?;
        if answer.is_truncated() {
            answer = self.read(&apex, &[Query { transport: Transport::Tcp, ..self.by_udp(&whose) }])?;
        }
        if answer.code() == ResponseCode::NoError && answer.is_authoritative() && !answer.records().is_empty() {
            Ok(())
        } else {
            Err(Explanation::not_applicable(format!("{} is no authority of the zone {apex}", self.server)))
        }
    }

    /// All ask from this machine: who they are is lost.
    fn ask(&mut self, queries: &[Query<'_>]) -> Result<Vec<Option<Vec<u8>>>, Explanation> {
        let Some(first) = queries.first() else { return Ok(Vec::new()) };
        let answers = exchange(queries.iter().map(|query| (self.route(), *query))).map_ok(Some).try_collect();
        let answers: io::Result<_> = runtime()?.block_on(answers);
        answers.map_err(|error| self.unanswered(first, &error))
    }
}

/// `A www.example.com.`
fn asked_text(query: &Query<'_>) -> String {
    let message = Message::from_vec(query.bytes).ok();
    let asked = message.as_ref().and_then(|message| message.queries.first());
    asked.map_or_else(String::new, |asked| format!("{} {}", type_text(asked.query_type()), asked.name()))
}

/// What came in place of an answer.
fn told(error: &io::Error) -> String {
    match error.kind() {
        ErrorKind::TimedOut => "nothing came".to_owned(),
        ErrorKind::ConnectionRefused => "nothing listens there".to_owned(),
        ErrorKind::NetworkUnreachable | ErrorKind::HostUnreachable => "this machine has no way there".to_owned(),
        ErrorKind::UnexpectedEof | ErrorKind::ConnectionReset => "the connection ended before the answer".to_owned(),
        _ => error.to_string(),
    }
}
