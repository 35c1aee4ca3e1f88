//! What was asked, and what came back, read from the messages.

use std::collections::BTreeSet;
use std::net::IpAddr;

use hickory_proto::op::{Edns, Message, MessageType, OpCode, Query, ResponseCode};
use hickory_proto::rr::rdata::opt::{ClientSubnet, EdnsOption};
use hickory_proto::rr::{Name, RData, Record, RecordType};
use ipnet::IpNet;

use crate::zone::type_text;

/// What a question's EDNS says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edns0 {
    /// There is none.
    Without,
    /// It takes answers of 4096 bytes.
    Plain,
    /// As plain, and what is cut short is not asked for again over TCP.
    UdpAlone,
    /// It tells on whose behalf the resolver asks.
    OnBehalfOf(IpNet),
}

/// A question, and who asks it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// Absolute.
    pub name: Name,
    /// The query type.
    pub rtype: RecordType,
    /// Who asks, as the step says it.
    pub asker: String,
    /// From where.
    pub source: IpAddr,
    /// With what EDNS.
    pub edns: Edns0,
}

impl Question {
    /// The query as it goes onto the wire.
    ///
    /// # Errors
    /// What the encoder says.
    pub fn to_bytes(&self, id: u16) -> Result<Vec<u8>, String> {
        let mut message = Message::new(id, MessageType::Query, OpCode::Query);
        message.add_query(Query::query(self.name.clone(), self.rtype));
        if self.edns != Edns0::Without {
            let mut edns = Edns::new();
            edns.set_max_payload(4096);
            if let Edns0::OnBehalfOf(subnet) = self.edns {
                let subnet = ClientSubnet::new(subnet.network(), subnet.prefix_len(), 0);
                edns.options_mut().insert(EdnsOption::Subnet(subnet));
            }
            message.set_edns(edns);
        }
        message.to_vec().map_err(|error| error.to_string())
    }

    /// For people.
    #[must_use]
    pub fn text(&self) -> String {
        format!("{} {}, by {}", type_text(self.rtype), self.name, self.asker)
    }
}

/// One answer as it was read.
#[derive(Clone, Debug)]
pub struct Answer {
    message: Message,
    /// Those of the answer section. Assertions compare the data of a thousand answers several times.
    data: BTreeSet<String>,
}

impl Answer {
    /// # Errors
    /// When the bytes are no DNS message.
    pub fn read(bytes: &[u8]) -> Result<Self, String> {
        // A header has twelve bytes (RFC 1035, section 4.1.1).
        let read = |message: Message| {
            let data = message.answers.iter().map(|record| data_text(&record.data)).collect();
            Self { message, data }
        };
        Message::from_vec(bytes).map(read).map_err(|_| match bytes.len() {
            short @ 0..12 => format!("it has {short} bytes; expected a header of 12 at least"),
            long => format!("its {long} bytes do not hold the sections that its header counts"),
        })
    }

    /// Reads the answer to a question that was asked with this id.
    ///
    /// # Errors
    /// When the bytes are no DNS message, or none that answers this question.
    pub fn read_to(question: &Question, id: u16, bytes: &[u8]) -> Result<Self, String> {
        let answer = Self::read(bytes)?;
        let metadata = &answer.message.metadata;
        if metadata.message_type != MessageType::Response {
            return Err("it is a query, not a response".to_owned());
        }
        if metadata.id != id {
            return Err(format!("its id is {}, and the question's was {id}", metadata.id));
        }
        // Names are equal whatever their case.
        let is_asked = |query: &Query| query.name == question.name && query.query_type == question.rtype;
        if !matches!(&answer.message.queries[..], [only] if is_asked(only)) {
            return Err("its question section is not the question".to_owned());
        }
        Ok(answer)
    }

    /// What keeps its data from being an answer to the question, whatever they are.
    #[must_use]
    pub fn unsound(&self, question: &Question) -> Option<String> {
        let records = self.records();
        let answers = |record: &&Record| {
            let of_type = [question.rtype, RecordType::CNAME].contains(&record.record_type());
            record.name == question.name && (of_type || question.rtype == RecordType::ANY)
        };
        if self.code() != ResponseCode::NoError {
            return Some(format!("response code {}", self.code()));
        }
        if !self.is_authoritative() && !records.is_empty() {
            return Some("not authoritative".to_owned());
        }
        if let Some(other) = records.iter().find(|record| !answers(record)) {
            return Some(format!("{} {} in the answer section", other.name, type_text(other.record_type())));
        }
        (self.data.len() < records.len()).then(|| "one value more than once".to_owned())
    }

    /// The answer section.
    #[must_use]
    pub fn records(&self) -> &[Record] {
        &self.message.answers
    }

    /// The data of the answer section, whatever their order.
    #[must_use]
    pub const fn data(&self) -> &BTreeSet<String> {
        &self.data
    }

    /// The additional section, without EDNS.
    #[must_use]
    pub fn additional(&self) -> &[Record] {
        &self.message.additionals
    }

    /// The same answer with this TTL, in seconds, on every record of its answer section.
    #[must_use]
    pub fn with_ttl(mut self, ttl: u32) -> Self {
        self.message.answers.iter_mut().for_each(|record| record.ttl = ttl);
        self
    }

    /// The authority section.
    #[must_use]
    pub fn authority(&self) -> &[Record] {
        &self.message.authorities
    }

    /// The response code.
    #[must_use]
    pub const fn code(&self) -> ResponseCode {
        self.message.metadata.response_code
    }

    /// Whether the answer says that it was cut short.
    #[must_use]
    pub const fn is_truncated(&self) -> bool {
        self.message.metadata.truncation
    }

    /// Whether the server says that it is an authority of the name.
    #[must_use]
    pub const fn is_authoritative(&self) -> bool {
        self.message.metadata.authoritative
    }

    /// The prefix length for which the answer holds, where the answer tells one.
    #[must_use]
    pub fn scope(&self) -> Option<u8> {
        let option = self.message.edns.as_ref()?.option(hickory_proto::rr::rdata::opt::EdnsCode::Subnet)?;
        if let EdnsOption::Subnet(subnet) = option { Some(subnet.scope_prefix()) } else { None }
    }

    /// Whether there is no data: the name exists, and has nothing of this type.
    #[must_use]
    pub fn is_no_data(&self) -> bool {
        self.code() == ResponseCode::NoError && self.message.answers.is_empty() && !self.is_truncated()
    }
}

/// Data in the form in which two are compared and shown.
#[must_use]
pub fn data_text(data: &RData) -> String {
    data.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    const OWNER: &str = "www.example.com.";

    fn question() -> Question {
        let source = IpAddr::from([192, 0, 2, 53]);
        let name = Name::from_ascii(OWNER).unwrap();
        Question { name, rtype: RecordType::A, asker: "a client".to_owned(), source, edns: Edns0::Plain }
    }

    /// The response to the question, with these A records in its answer section.
    fn response(owners: &[(&str, [u8; 4])], change: impl FnOnce(&mut Message)) -> Vec<u8> {
        let mut message = Message::response(7, OpCode::Query);
        message.add_query(Query::query(Name::from_ascii("WWW.example.com.").unwrap(), RecordType::A));
        message.metadata.authoritative = true;
        let record = |(owner, address): &(&str, [u8; 4])| {
            Record::from_rdata(Name::from_ascii(owner).unwrap(), 60, RData::from(IpAddr::from(*address)))
        };
        message.add_answers(owners.iter().map(record).collect::<Vec<_>>());
        change(&mut message);
        message.to_vec().unwrap()
    }

    const ONE: [u8; 4] = [192, 0, 2, 1];

    #[test]
    fn what_answers_another_question_is_no_answer() {
        let read = |bytes: &[u8]| Answer::read_to(&question(), 7, bytes).map(|_| ());
        assert_eq!(read(&response(&[(OWNER, ONE)], |_| {})), Ok(()));
        let refused = |change: fn(&mut Message)| read(&response(&[(OWNER, ONE)], change)).unwrap_err();
        assert!(refused(|message| message.metadata.id = 8).contains("its id is 8"));
        assert!(refused(|message| message.metadata.message_type = MessageType::Query).contains("a query"));
        assert!(refused(|message| message.queries.clear()).contains("question section"));
        assert!(refused(|message| message.queries[0].query_type = RecordType::AAAA).contains("question section"));
        assert!(read(&[0; 3]).is_err());
    }

    #[test]
    fn data_alone_make_no_answer() {
        let unsound = |owners: &[(&str, [u8; 4])], change: fn(&mut Message)| {
            Answer::read(&response(owners, change)).unwrap().unsound(&question()).unwrap_or_default()
        };
        assert_eq!(unsound(&[("WwW.example.com.", ONE)], |_| {}), "");
        assert_eq!(unsound(&[], |message| message.metadata.authoritative = false), "", "there are no data");
        assert!(unsound(&[(OWNER, ONE)], |message| message.metadata.authoritative = false).contains("authoritative"));
        let refused = unsound(&[(OWNER, ONE)], |message| message.metadata.response_code = ResponseCode::Refused);
        assert!(refused.contains("response code"), "{refused}");
        assert!(unsound(&[("evil.example.net.", ONE)], |_| {}).contains("evil.example.net. A"));
        assert!(unsound(&[(OWNER, ONE), (OWNER, ONE)], |_| {}).contains("more than once"));
    }
}
