//! The world of one scenario: a zone, its health, a lab, and what was asked last.

use std::collections::{BTreeMap, BTreeSet};
use std::net::{IpAddr, Ipv4Addr};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use hickory_proto::rr::{Name, RecordType};
use ipnet::IpNet;

use crate::authoritative::{AuthoritativeSettings, CellNames, Location, LocationMap, Resource};
use crate::cache::ResolverCache;
use crate::clock::LabTime;
use crate::decide::{Decision, Viewpoint, decide};
use crate::dns_message::Transport;
use crate::subject::Machines;
use crate::zone::{HealthCheckId, Visibility};

use super::catalogue::Needs;
use super::drill_runs::Played;
use super::exchange::{Answer, Edns0, Question};
use super::explanation::Explanation;
use super::lab::{Board, Lab, Query};
use super::setting::Setting;
use super::signals::Signals;
use super::source::FeatureText;
use super::why::path_text;
use super::zone_under_test::ZoneUnderTest;

/// A scenario's clock goes no further: every probe of every checker up to then is turned.
const LONGEST: Duration = Duration::from_hours(100 * 24);

/// The world of one scenario. Scenarios do not meet: each has its own.
#[derive(Default)]
pub struct World {
    setting: Option<Arc<Setting>>,
    text: Arc<FeatureText>,
    /// The run ends before this scenario.
    sits_out: bool,
    lab: Option<Box<dyn Lab>>,
    zone: Option<ZoneUnderTest>,
    /// What decisions know of health.
    pub evidence: Board,
    /// The scenario's own clock.
    pub now: LabTime,
    /// What turns statuses.
    pub signals: Signals,
    locations: Vec<Location>,
    /// Whether the lab serves what the world has now.
    served: bool,
    question: Option<Question>,
    answers: Vec<Answer>,
    asked: u16,
    /// Whether something was done since the last question was asked.
    touched: bool,
    /// What became of what was submitted last: taken, or refused with these words.
    pub submitted: Option<Result<(), String>>,
    /// A refusal that no step has judged yet.
    refusal: Option<String>,
    /// The health checks that were deleted.
    deleted: BTreeSet<HealthCheckId>,
    /// What came of the drill that ran last.
    pub drill: Option<Arc<Played>>,
    /// The recursive resolvers, by name.
    pub resolvers: BTreeMap<String, Resolver>,
    /// Whether the resolver that was asked last had to ask the subject.
    pub resolver_asked: Option<bool>,
}

/// A recursive resolver.
#[derive(Debug)]
pub struct Resolver {
    /// Where it asks from.
    pub address: IpAddr,
    /// What it keeps.
    pub cache: ResolverCache<Answer>,
}

impl std::fmt::Debug for World {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("World").field("zone", &self.zone).field("evidence", &self.evidence).finish_non_exhaustive()
    }
}

impl cucumber::World for World {
    type Error = std::convert::Infallible;

    async fn new() -> Result<Self, Self::Error> {
        Ok(Self::default())
    }
}

impl World {
    /// Takes what the run gives; before the first step.
    pub fn enter(&mut self, setting: Arc<Setting>, file: Option<&Path>) {
        let text = file.and_then(|file| setting.texts.get(file).cloned());
        self.text = text.unwrap_or_default();
        self.lab = Some(setting.lab());
        self.setting = Some(setting);
    }

    /// None of the scenario's steps is run.
    pub const fn sit_out(&mut self) {
        self.sits_out = true;
    }

    /// The text of the scenario's file.
    #[must_use]
    pub fn feature_text(&self) -> Arc<FeatureText> {
        Arc::clone(&self.text)
    }

    /// Whether the subject and the lab have what a step needs.
    ///
    /// # Errors
    /// When they do not: the scenario is not applicable. When the run has ended: nothing is begun any more.
    pub fn offers(&self, needs: Needs) -> Result<(), Explanation> {
        if self.sits_out || self.setting()?.stop.early().is_some() {
            return Err(Explanation::not_run());
        }
        match needs {
            Needs::Inside if !self.lab.as_ref().is_some_and(|lab| lab.has_inside()) => {
                Err(Explanation::not_applicable(
                    "this step needs the inside of the subject, and this subject can only be asked",
                ))
            }
            Needs::Drill => self.setting()?.runs_drills(),
            Needs::Nothing | Needs::Inside => Ok(()),
        }
    }

    /// What the run gives.
    ///
    /// # Errors
    /// When the scenario was never entered.
    pub fn setting(&self) -> Result<&Setting, Explanation> {
        self.setting.as_deref().ok_or_else(|| Explanation::lab_broke("the scenario has no setting"))
    }

    /// The zone that the scenario speaks of.
    ///
    /// # Errors
    /// When no step has said which.
    pub fn zone(&self) -> Result<&ZoneUnderTest, Explanation> {
        self.zone.as_ref().ok_or_else(no_zone)
    }

    /// The zone, to be changed; the lab serves the change from the next question on.
    ///
    /// # Errors
    /// When no step has said which.
    pub fn zone_mut(&mut self) -> Result<&mut ZoneUnderTest, Explanation> {
        self.served = false;
        self.zone.as_mut().ok_or_else(no_zone)
    }

    /// The scenario speaks of this zone from now on.
    pub fn set_zone(&mut self, zone: ZoneUnderTest) {
        self.served = false;
        self.zone = Some(zone);
    }

    /// Where senders of a network are.
    pub fn locate(&mut self, network: IpNet, place: &str, viewpoint: Viewpoint) {
        self.served = false;
        self.locations.retain(|location| location.network != network);
        self.locations.push(Location { network, place: place.to_owned(), viewpoint });
    }

    /// The address of clients in a place; each place has its own.
    pub fn address_in(&mut self, place: &str, viewpoint: &Viewpoint) -> IpAddr {
        if let Some(known) = self.locations.iter().find(|location| location.place == place) {
            return host_of(known.network);
        }
        let [high, low] = u16::try_from(self.locations.len()).unwrap_or(u16::MAX).to_be_bytes();
        let address = IpAddr::V4(Ipv4Addr::new(10, high, low, 1));
        self.locate(IpNet::from(address), place, viewpoint.clone());
        address
    }

    /// Sets the status of a health check.
    pub fn set_health_check(&mut self, id: HealthCheckId, healthy: bool) {
        self.evidence.borrow_mut().set_health_check(id, healthy);
    }

    /// Deletes a health check, whoever names it (R53-107).
    pub fn delete_health_check(&mut self, id: HealthCheckId) {
        self.served = false;
        self.signals.forget(&id);
        self.deleted.insert(id);
    }

    /// Whether a health check was deleted; what it says to whoever names it is not predictable (R53-107).
    #[must_use]
    pub fn is_deleted(&self, id: &HealthCheckId) -> bool {
        self.deleted.contains(id)
    }

    /// The health checks that a record set may name (R53-108): those that were created, and those that the zone named from
    /// the start. `None` in a scenario that creates none: it says nothing of them.
    #[must_use]
    pub fn known_health_checks(&self) -> Option<BTreeSet<HealthCheckId>> {
        let created = self.signals.written.ids();
        if created.is_empty() && self.deleted.is_empty() {
            return None;
        }
        let named = self.zone.as_ref().map(|zone| zone.zone.health_check_ids()).unwrap_or_default();
        Some(created.into_iter().chain(named).filter(|id| !self.deleted.contains(id)).collect())
    }

    /// Takes note of what became of something that was submitted. A refusal must be judged by the very next step: nothing
    /// is as the scenario says, from then on.
    pub fn submit(&mut self, taken: Result<(), String>) {
        self.refusal = taken.as_ref().err().cloned();
        self.submitted = Some(taken);
    }

    /// The refusal that waits to be judged, if there is one.
    pub const fn take_refusal(&mut self) -> Option<String> {
        self.refusal.take()
    }

    /// Sets the health of an AWS resource.
    pub fn set_resource(&mut self, target: Name, healthy: bool) {
        self.evidence.borrow_mut().set_resource(target, healthy);
    }

    /// What is known of the senders in a place; `None` when nobody asked from there yet.
    pub fn viewpoint_mut(&mut self, place: &str) -> Option<&mut Viewpoint> {
        self.served = false;
        self.locations.iter_mut().find(|location| location.place == place).map(|location| &mut location.viewpoint)
    }

    /// Lets time pass.
    ///
    /// # Errors
    /// When something that time moves cannot go on.
    pub fn advance(&mut self, by: Duration) -> Result<(), Explanation> {
        let end = self.now + by;
        while self.go_on(end)? {}
        Ok(())
    }

    /// Goes on to the next moment at which anything happens, or to `end` when that is sooner; whether anything happened.
    ///
    /// # Errors
    /// As [`Self::advance`].
    pub fn go_on(&mut self, end: LabTime) -> Result<bool, Explanation> {
        if end > LabTime::at(LONGEST) {
            return Err(Explanation::cannot_run(format!(
                "a scenario's clock goes up to {} days; expected less time to pass",
                LONGEST.as_secs() / 86_400
            )));
        }
        let Some(next) = self.signals.next_wakeup().filter(|next| *next <= end) else {
            self.now = end;
            return Ok(false);
        };
        self.now = self.now.max(next);
        let machines = self.machines()?;
        self.signals.turn(self.now, machines, &mut self.evidence.borrow_mut());
        Ok(true)
    }

    /// Tells the subject the statuses that somebody turned by hand.
    ///
    /// # Errors
    /// When the scenario was never entered.
    pub fn settle(&mut self) -> Result<(), Explanation> {
        let machines = self.machines()?;
        self.signals.tell(machines, &mut self.evidence.borrow_mut());
        Ok(())
    }

    /// The health machines of the subject.
    ///
    /// # Errors
    /// When the scenario was never entered.
    pub fn machines(&self) -> Result<Machines, Explanation> {
        Ok(self.setting()?.machines())
    }

    /// Asks a question this many times, each from another port of the same asker: as a resolver does, by UDP, and by TCP
    /// where the answer was cut short; who speaks no EDNS or keeps to UDP is left with that.
    ///
    /// # Errors
    /// When nothing can be asked; when there is no answer.
    pub fn ask(&mut self, question: Question, times: usize) -> Result<(), Explanation> {
        self.serve()?;
        let mut answers = self.ask_over(&question, Transport::Udp, times)?;
        if !matches!(question.edns, Edns0::Without | Edns0::UdpAlone) {
            let cut: Vec<&mut Answer> = answers.iter_mut().filter(|answer| answer.is_truncated()).collect();
            let whole = self.ask_over(&question, Transport::Tcp, cut.len())?;
            cut.into_iter().zip(whole).for_each(|(cut, whole)| *cut = whole);
        }
        self.answers = answers;
        self.question = Some(question);
        self.touched = false;
        Ok(())
    }

    /// A step that is no assertion is done: the last answers may speak of a world that is no more.
    pub const fn touch(&mut self) {
        self.touched = true;
    }

    /// A resolver gave these answers, and asked the subject for them or did not.
    pub fn told_by_resolver(&mut self, question: Question, answers: Vec<Answer>, asked: bool) {
        self.question = Some(question);
        self.answers = answers;
        self.resolver_asked = Some(asked);
        self.touched = false;
    }

    /// The last question, asked this many times more; its answers alone.
    ///
    /// # Errors
    /// As [`Self::ask`].
    pub fn ask_again(&mut self, times: usize) -> Result<(), Explanation> {
        let question = self.question()?.clone();
        self.ask(question, times)
    }

    /// The same for an assertion that needs more answers: they must be answers to what the scenario asked, and when.
    ///
    /// # Errors
    /// As [`Self::ask`]; when something was done since the question was asked.
    pub fn ask_more(&mut self, times: usize) -> Result<(), Explanation> {
        if self.touched {
            return Err(Explanation::cannot_run(
                "this needs more answers, and something was done since the question was asked, so that they would answer \
                 another one; expected this assertion right behind its question",
            ));
        }
        self.ask_again(times)
    }

    fn ask_over(
        &mut self,
        question: &Question,
        transport: Transport,
        times: usize,
    ) -> Result<Vec<Answer>, Explanation> {
        let mut messages = Vec::with_capacity(times);
        for _ in 0..times {
            self.asked = self.asked.wrapping_add(1);
            messages.push((self.asked, question.to_bytes(self.asked).map_err(Explanation::lab_broke)?));
        }
        let (source, now) = (question.source, self.now);
        let queries: Vec<_> = messages.iter().map(|(_, bytes)| Query { bytes, source, transport, now }).collect();
        let lab = self.lab.as_mut().ok_or_else(|| Explanation::lab_broke("the scenario has no lab"))?;
        let answers = lab.ask(&queries)?.into_iter().zip(&messages);
        answers.map(|(bytes, (id, _))| read_answer(question, *id, bytes)).collect()
    }

    fn serve(&mut self) -> Result<(), Explanation> {
        if self.served {
            return Ok(());
        }
        let seed = self.setting()?.seed;
        let under_test = self.zone()?;
        if let Some(id) = under_test.zone.health_check_ids().into_iter().find(|id| self.is_deleted(id)) {
            return Err(Explanation::cannot_run(format!(
                "a record set names the health check `{}`, which was deleted: what is answered is not predictable \
                 (R53-107); expected a change batch before that takes it from the record set",
                id.0
            )));
        }
        crate::zone::validate::check_cidr_collections(&under_test.zone)
            .map_err(|errors| Explanation::cannot_run(errors.to_string()))?;
        let settings = AuthoritativeSettings {
            zone: Arc::new(under_test.zone.clone()),
            resources: under_test.resources().into_iter().map(in_one_zone).collect(),
            name_servers: under_test.name_servers(),
            locations: LocationMap::new(self.locations.clone()),
            cells: CellNames::default(),
            switches: under_test.switches,
            seed,
        };
        let lab = self.lab.as_mut().ok_or_else(|| Explanation::lab_broke("the scenario has no lab"))?;
        lab.serve(settings, &self.evidence)?;
        self.served = true;
        Ok(())
    }

    /// The last question.
    ///
    /// # Errors
    /// When nothing was asked yet.
    pub fn question(&self) -> Result<&Question, Explanation> {
        self.question
            .as_ref()
            .ok_or_else(|| Explanation::cannot_run("nothing was asked yet; expected a step that asks"))
    }

    /// The answers to the last question, in the order in which they came.
    ///
    /// # Errors
    /// When nothing was asked yet.
    pub fn answers(&self) -> Result<&[Answer], Explanation> {
        self.question()?;
        Ok(&self.answers)
    }

    /// What the rules say to the last question, with everything as it stands now.
    ///
    /// # Errors
    /// When nothing was asked yet.
    pub fn decision(&self) -> Result<Decision, Explanation> {
        let question = self.question()?;
        let under_test = self.zone()?;
        let sender = match question.edns {
            Edns0::OnBehalfOf(subnet) if under_test.zone.visibility == Visibility::Public => subnet,
            _ => IpNet::from(question.source),
        };
        let (_, viewpoint) = LocationMap::new(self.locations.clone()).locate(sender);
        let rtype = if question.rtype == RecordType::ANY { RecordType::HINFO } else { question.rtype };
        let asked = crate::decide::Question { name: question.name.clone(), rtype, viewpoint };
        Ok(decide(&under_test.zone, &asked, &*self.evidence.borrow(), under_test.switches))
    }

    /// The explanation of a wrong answer: what was asked, expected and answered, and what the rules say.
    pub fn wrong(&self, expected: &str, answered: &str) -> Explanation {
        let asked = self.question.as_ref().map(Question::text).unwrap_or_default();
        let why = self.decision().map(|decision| path_text(&decision)).unwrap_or_default();
        let why = why.replace('\n', "\n          ");
        Explanation::wrong(format!("asked:    {asked}\nexpected: {expected}\nanswered: {answered}\nrules:    {why}"))
    }

    /// What an answer holds, in the words of the scenario.
    #[must_use]
    pub fn told(&self, answer: &Answer) -> String {
        use hickory_proto::op::ResponseCode;
        let nothing = match answer.code() {
            ResponseCode::NoError if answer.is_truncated() => "an answer that was cut short".to_owned(),
            ResponseCode::NoError => "no data".to_owned(),
            ResponseCode::NXDomain => "no such name".to_owned(),
            other => format!("response code {other}"),
        };
        let Some(first) = answer.records().first() else { return nothing };
        let unsound = self.question.as_ref().and_then(|question| answer.unsound(question));
        let unsound = unsound.map_or_else(String::new, |problem| format!("; {problem}"));
        let what = self.zone.as_ref().map_or_else(String::new, |zone| zone.called(answer.data()));
        format!("{what}, TTL {} s{unsound}", first.ttl)
    }
}

/// The name that a step asks for.
///
/// # Errors
/// When it is no name, or the scenario has no zone.
pub(super) fn name_of(world: &World, written: &str) -> Result<Name, Explanation> {
    world.zone()?.name(written).map_err(Explanation::cannot_run)
}

fn read_answer(question: &Question, id: u16, bytes: Option<Vec<u8>>) -> Result<Answer, Explanation> {
    let bytes = bytes.ok_or_else(|| Explanation::wrong(format!("asked {}: no answer came", question.text())))?;
    Answer::read_to(question, id, &bytes).map_err(|problem| {
        Explanation::wrong(format!("asked {}: what came is no answer to it: {problem}", question.text()))
    })
}

fn no_zone() -> Explanation {
    Explanation::cannot_run("no zone was given yet; expected `Given the zone \"example.com\" with the record sets:`")
}

/// The first address of a network that can be a host's.
fn host_of(network: IpNet) -> IpAddr {
    if network.prefix_len() == network.max_prefix_len() {
        return network.addr();
    }
    network.hosts().next().unwrap_or_else(|| network.addr())
}

/// Shares of answers, by what they hold.
#[must_use]
pub fn counted(answers: &[Answer]) -> BTreeMap<&BTreeSet<String>, usize> {
    let mut counts = BTreeMap::new();
    for answer in answers {
        *counts.entry(answer.data()).or_default() += 1;
    }
    counts
}

/// A resource whose addresses no scenario spreads over zones.
fn in_one_zone((name, addresses): (Name, Vec<IpAddr>)) -> (Name, Resource) {
    let zone = name.to_string();
    (name, Resource::from([(zone, addresses)]))
}
