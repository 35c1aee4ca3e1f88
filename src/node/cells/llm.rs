//! A region that serves a language model: a gateway, the engine behind it, a prober and the `/healthz` that tells its
//! verdict.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::rc::Rc;

use rand::Rng;

use crate::fault::{Harm, Part};
use crate::ground::GroundKind;
use crate::node::engine::{self, EngineSwitch};
use crate::node::llm_gateway::LlmGateway;
use crate::node::prober::{self, Prober, SharedVerdict};
use crate::node::process::Process;
use crate::node::{ENGINE_BEHIND_PROXY_PORT, ENGINE_PORT, HEALTHZ_PORT, HTTP_PORT, LIFE_PORT};
use crate::plan::{EnginePlan, LlmPlan, ProberPlan};
use crate::service::{ANSWER_COSTS, Condition};

use super::blueprint::Blueprint;
use super::{CellError, Lever, Organs};

impl Blueprint<'_> {
    pub(super) fn llm(&self, llm: &LlmPlan, rng: &mut impl Rng) -> Result<Organs, CellError> {
        let mut organs = Organs { levers: vec![self.firewall_lever()], ..Organs::default() };
        self.add_engine(&llm.engine, rng, &mut organs)?;
        let environment = &self.around.environment;
        let from = self.doors(Part::LoadBalancer, HTTP_PORT)?.first().map(SocketAddr::ip);
        let gateway = LlmGateway::new(self.arrivals(), &llm.engine, llm.gateway, from, environment)
            .map_err(|problem| CellError::NoEngine { cell: self.name.to_owned(), problem })?;
        organs.processes.push((Part::LoadBalancer, self.serve(Part::LoadBalancer, gateway.router())?));
        if let Some(prober) = &llm.prober {
            self.add_prober(prober, &mut organs)?;
        }
        Ok(organs)
    }

    /// muster's own engine, with what breaks it while it runs. One that runs elsewhere is nobody's to break.
    fn add_engine(&self, engine: &EnginePlan, rng: &mut impl Rng, organs: &mut Organs) -> Result<(), CellError> {
        let EnginePlan::Own { settings, address } = engine else { return Ok(()) };
        let front = self.here(Part::Engine, *address, ENGINE_PORT)?;
        let here = if self.plan.proxied {
            let behind = self.here(Part::Engine, *address, ENGINE_BEHIND_PROXY_PORT)?;
            self.add_way(Part::WayToEngine, front, behind, rng.next_u64(), organs);
            behind
        } else {
            front
        };
        let environment = &self.around.environment;
        // What runs as a container of its own is throttled by its engine, and must need what it is not given.
        let switch = if self.plan.engine_works && environment.ground.kind() == GroundKind::Container {
            EngineSwitch::of_one_that_works(environment.clock.speed().to_wall(ANSWER_COSTS))
        } else {
            EngineSwitch::default()
        };
        let throttled = switch.clone();
        let throttle = move |broken| throttled.throttle(broken);
        organs.levers.push(Lever::new(Part::Engine, Harm::Throttled, throttle));
        let harms = Rc::new(RefCell::new(BTreeSet::new()));
        for harm in [Harm::Frozen, Harm::Wedged, Harm::Starved, Harm::Wrong] {
            let (switch, harms) = (switch.clone(), Rc::clone(&harms));
            organs.levers.push(Lever::new(Part::Engine, harm, move |broken| {
                let mut harms = harms.borrow_mut();
                let changed = if broken { harms.insert(harm) } else { harms.remove(&harm) };
                // Set again it would start its condition again.
                if changed {
                    switch.set(condition(&harms));
                }
            }));
        }
        let (settings, environment) = (settings.clone(), environment.clone());
        let process = Process::new(move || engine::bind(here, &settings, &switch, &environment));
        organs.processes.push((Part::Engine, process));
        Ok(())
    }

    fn add_prober(&self, plan: &ProberPlan, organs: &mut Organs) -> Result<(), CellError> {
        let life = self.here(Part::Prober, plan.address, LIFE_PORT)?;
        let gateway = self.doors(Part::LoadBalancer, HTTP_PORT)?.into_iter();
        let gateway = gateway.min_by_key(|door| door.is_ipv4() != life.is_ipv4());
        let gateway =
            gateway.ok_or_else(|| self.no_address(&Part::LoadBalancer.of(self.name), self.plan.addresses.clone()))?;
        let verdict = SharedVerdict::new(self.name, &plan.settings, &self.around.environment);
        let prober = Prober {
            settings: plan.settings.clone(),
            verdict: verdict.clone(),
            from: Some(life.ip()).filter(|own| own.is_ipv4() == gateway.is_ipv4()),
            gateway,
        };
        let (doors, firewall, told) = (self.doors(Part::Healthz, HEALTHZ_PORT)?, self.firewall(), verdict.clone());
        let healthz = Process::new(move || prober::bind_healthz(&doors, &told, &firewall));
        organs.processes.push((Part::Healthz, healthz));
        organs.processes.push((Part::Prober, Process::new(move || prober::bind_prober(life, prober.clone()))));
        organs.levers.push(Lever::new(Part::Healthz, Harm::Turned, move |drained| verdict.set_drain(drained)));
        Ok(())
    }
}

/// How an engine is to which all of this is done: what hides the rest comes first.
fn condition(harms: &BTreeSet<Harm>) -> Condition {
    let conditions = [
        (Harm::Frozen, Condition::Frozen),
        (Harm::Wedged, Condition::Wedged),
        (Harm::Starved, Condition::Starved),
        (Harm::Wrong, Condition::OtherModel),
    ];
    let worst = conditions.into_iter().find(|(harm, _)| harms.contains(harm));
    worst.map_or(Condition::Well, |(_, condition)| condition)
}
