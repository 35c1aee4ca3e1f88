//! What every DNS server does to a query before it thinks, and to an answer before it is sent. Knows no zone, and no
//! socket.

use hickory_proto::op::{Edns, Header, Message, MessageType, Metadata, OpCode, Query, ResponseCode};
use hickory_proto::rr::rdata::opt::{ClientSubnet, EdnsCode, EdnsOption};
use hickory_proto::serialize::binary::{BinDecodable, BinDecoder};
use ipnet::IpNet;

/// How a query came.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Transport {
    /// In one datagram; the answer may have to be truncated.
    Udp,
    /// Length-prefixed, up to 65535 bytes.
    Tcp,
}

/// What a UDP answer may take without EDNS, and at most with it (R53-185).
const PLAIN_UDP: u16 = 512;
const EDNS_UDP: u16 = 4096;

/// A query that can be answered.
#[derive(Clone, Debug)]
pub struct Asked {
    header: Metadata,
    /// The one question, in the asker's own case.
    pub query: Query,
    /// What the asker says of EDNS, if it speaks it.
    edns: Option<Edns>,
    /// The client subnet, unless there is none or nothing in it.
    pub subnet: Option<IpNet>,
}

impl Asked {
    /// Reads a query; an error is the refusal to send. `None` for what must not be answered: less than a header, or an
    /// answer.
    pub fn read(bytes: &[u8]) -> Option<Result<Self, Vec<u8>>> {
        let header = Header::read(&mut BinDecoder::new(bytes)).ok()?.metadata;
        if header.message_type == MessageType::Response {
            return None;
        }
        match read(&header, bytes) {
            Ok(asked) => Some(Ok(asked)),
            Err(refusal) => refusal.to_vec().ok().map(Err),
        }
    }

    /// Whether recursion is desired.
    #[must_use]
    pub const fn wants_recursion(&self) -> bool {
        self.header.recursion_desired
    }

    /// An empty response: the question as it was asked, and OPT where the query had it.
    #[must_use]
    pub fn response(&self) -> Message {
        let mut message = response(&self.header, self.edns.as_ref());
        message.add_query(self.query.clone());
        message
    }

    /// An answer's bytes, within what the transport and the asker take. What may be missing is left out first (RFC
    /// 2181, section 9), then the answer is truncated (R53-185). An answer without a wire form is a server failure.
    #[must_use]
    pub fn written(&self, answer: &Message, transport: Transport) -> Option<Vec<u8>> {
        let limit = match (transport, &self.edns) {
            (Transport::Tcp, _) => u16::MAX,
            (Transport::Udp, None) => PLAIN_UDP,
            (Transport::Udp, Some(edns)) => edns.max_payload().clamp(PLAIN_UDP, EDNS_UDP),
        };
        written(answer, usize::from(limit)).or_else(|| {
            let mut failure = self.response();
            failure.metadata.response_code = ResponseCode::ServFail;
            failure.to_vec().ok()
        })
    }
}

fn read(header: &Metadata, bytes: &[u8]) -> Result<Asked, Box<Message>> {
    if header.op_code != OpCode::Query {
        return Err(refusal(header, ResponseCode::NotImp));
    }
    let malformed = || refusal(header, ResponseCode::FormErr);
    let message = Message::from_vec(bytes).map_err(|_| malformed())?;
    let [question] = message.queries.as_slice() else { return Err(malformed()) };
    if message.edns.as_ref().is_some_and(|edns| edns.version() != 0) {
        let mut refusal = response(header, message.edns.as_ref());
        refusal.metadata.response_code = ResponseCode::BADVERS;
        refusal.add_query(question.clone());
        return Err(Box::new(refusal));
    }
    let subnet = match message.edns.as_ref().and_then(|edns| edns.option(EdnsCode::Subnet)) {
        Some(EdnsOption::Subnet(subnet)) => Some(network(*subnet).ok_or_else(malformed)?),
        _ => None,
    };
    // A prefix of 0 is a client that does not want to be located.
    let subnet = subnet.filter(|network| network.prefix_len() > 0);
    Ok(Asked { header: *header, query: question.clone(), edns: message.edns.clone(), subnet })
}

/// The network of a client subnet; `None` for what RFC 7871 (section 7.1.2) calls malformed.
fn network(subnet: ClientSubnet) -> Option<IpNet> {
    let network = IpNet::new(subnet.addr(), subnet.source_prefix()).ok()?;
    let well_formed = network.network() == subnet.addr() && subnet.scope_prefix() == 0;
    well_formed.then_some(network)
}

fn response(header: &Metadata, asked: Option<&Edns>) -> Message {
    let mut message = Message::response(header.id, header.op_code);
    message.metadata = Metadata::response_from_request(header);
    if asked.is_some() {
        let mut edns = Edns::new();
        edns.set_max_payload(EDNS_UDP);
        message.set_edns(edns);
    }
    message
}

fn refusal(header: &Metadata, code: ResponseCode) -> Box<Message> {
    let mut message = response(header, None);
    message.metadata.response_code = code;
    Box::new(message)
}

fn written(message: &Message, limit: usize) -> Option<Vec<u8>> {
    let fits = |bytes: &Vec<u8>| bytes.len() <= limit && !is_truncated(bytes);
    let whole = message.to_vec().ok()?;
    if fits(&whole) {
        return Some(whole);
    }
    if !message.answers.is_empty() {
        let mut bare = message.clone();
        bare.additionals.clear();
        bare.authorities.clear();
        if let Some(bare) = bare.to_vec().ok().filter(fits) {
            return Some(bare);
        }
    }
    message.truncate().to_vec().ok()
}

/// The encoder stops at 65535 bytes and sets the TC bit itself.
fn is_truncated(bytes: &[u8]) -> bool {
    bytes.get(2).is_some_and(|flags| flags & 0b10 != 0)
}
