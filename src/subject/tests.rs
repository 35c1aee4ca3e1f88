use hickory_proto::op::{Message, Query, ResponseCode};
use hickory_proto::rr::RecordType;

use super::*;
use crate::authoritative::test_zone::{PRIMARY, SECONDARY, authoritative, check, ip, name};
use crate::decide::Outcome;

/// Refuses to see health check `p` as healthy.
#[derive(Debug)]
struct PrimaryIsDown;

impl Deviation for PrimaryIsDown {
    fn health_check(&self, id: &HealthCheckId, healthy: bool) -> bool {
        healthy && *id != check("p")
    }
}

/// Answers `asked` for the records `www.example.com. A`, in bytes.
fn www(id: u16) -> Vec<u8> {
    let mut query = Message::query();
    query.metadata.id = id;
    query.add_query(Query::query(name("www.example.com."), RecordType::A));
    query.to_vec().unwrap()
}

fn subject(deviation: &'static dyn Deviation) -> (Subject, Rc<RefCell<EvidenceBoard>>) {
    let board = Rc::default();
    (Subject::new(authoritative(), Rc::clone(&board), deviation).unwrap(), board)
}

fn address(answered: &Answered) -> String {
    Message::from_vec(&answered.bytes).unwrap().answers[0].data.to_string()
}

#[test]
fn the_reference_answers_byte_for_byte_as_the_server_does() {
    let (mut subject, board) = subject(&Reference);
    let mut server = Authoritative::new(authoritative()).unwrap();
    for (query, transport) in [(www(1), Transport::Udp), (www(2), Transport::Tcp), (vec![0; 12], Transport::Udp)] {
        let expected = server.respond(&query, ip("192.0.2.200"), transport, &*board.borrow()).unwrap();
        let answered = subject.ask(&query, ip("192.0.2.200"), transport, LabTime::START).unwrap();
        assert_eq!(answered.bytes, expected.bytes);
    }
}

#[test]
fn an_answer_comes_with_its_decision_and_follows_the_board() {
    let (mut subject, board) = subject(&Reference);
    let mut ask = || subject.ask(&www(1), ip("192.0.2.200"), Transport::Udp, LabTime::START).unwrap();
    assert_eq!(address(&ask()), PRIMARY);
    board.borrow_mut().set_health_check(check("p"), false);
    let answered = ask();
    assert_eq!(address(&answered), SECONDARY);
    let decision = answered.decision.unwrap();
    let Decision { outcome: Outcome::Answers(answers), path } = &*decision else { panic!() };
    assert_eq!((answers.len(), path.len()), (1, 1));
}

#[test]
fn a_deviation_changes_what_its_seam_carries_and_nothing_else() {
    let (mut subject, board) = subject(&PrimaryIsDown);
    let mut ask = || subject.ask(&www(1), ip("192.0.2.200"), Transport::Udp, LabTime::START).unwrap();
    assert_eq!(address(&ask()), SECONDARY);
    board.borrow_mut().set_health_check(check("s"), false);
    assert_eq!(address(&ask()), PRIMARY, "by last resort, like the reference");
}

#[test]
fn what_is_refused_has_no_decision() {
    let (mut subject, _) = subject(&Reference);
    let mut query = Message::query();
    query.add_query(Query::query(name("www.example.net."), RecordType::A));
    let answered = subject.ask(&query.to_vec().unwrap(), ip("192.0.2.200"), Transport::Udp, LabTime::START).unwrap();
    assert_eq!(answered.decision, None);
    assert_eq!(Message::from_vec(&answered.bytes).unwrap().response_code, ResponseCode::Refused);
    assert_eq!(subject.ask(&[0], ip("192.0.2.200"), Transport::Udp, LabTime::START), None);
}
