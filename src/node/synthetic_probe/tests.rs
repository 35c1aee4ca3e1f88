use std::net::IpAddr;
use std::sync::Mutex;
use std::time::Duration;

use async_trait::async_trait;

use super::*;
use crate::ground::LabClock;
use crate::node::testbed::{ANA, EAST, SITE, Testbed, ip, on_loopback, telemetry};

/// A resolver that answers what the test says.
#[derive(Debug)]
struct Answers(Mutex<Result<Vec<IpAddr>, String>>);

#[async_trait]
impl AddressLookup for Answers {
    async fn addresses(&self, name: &Name, family: Family, _clock: &LabClock) -> Result<Vec<IpAddr>, String> {
        assert_eq!((name.to_string().as_str(), family), ("otel.example.", Family::A));
        self.0.lock().unwrap().clone()
    }
}

/// The next result of the probe and the value that was published for it.
async fn result(bed: &mut Testbed) -> (bool, String, f64) {
    let mut seen = None;
    let both = bed.journal.wait_for("a result", |stamped| match &stamped.event {
        Event::Checked { signal: Signal::Probe { .. }, passed, detail, .. } => {
            seen = Some((*passed, detail.clone()));
            None
        }
        Event::Published { metric: Metric::ProbeSuccess(probe), value } => {
            assert_eq!(probe, "branch");
            let (passed, detail) = seen.take()?;
            Some((passed, detail, value.unwrap()))
        }
        _ => None,
    });
    both.await
}

#[test]
fn a_probe_submits_where_its_name_leads_now_and_its_results_are_a_metric() {
    on_loopback(20.0, async |mut bed| {
        let _gateway = bed.start_cell("otel", &telemetry());
        let answers = Arc::new(Answers(Mutex::new(Ok(vec![ip(EAST)]))));
        let plan = ProbePlan {
            asks: "otel.example.".to_owned(),
            resolver: "the test".to_owned(),
            every: Duration::from_secs(5),
            timeout: Duration::from_secs(5),
            address: ip(ANA),
        };
        let store = MetricStore::new(std::iter::empty(), bed.environment.recorder.clone());
        let resolver = Arc::clone(&answers) as Arc<dyn AddressLookup>;
        let _probe = start("branch", &plan, resolver, &store, &bed.environment).unwrap();
        assert_eq!(result(&mut bed).await, (true, format!("{EAST}: status 200"), 1.0));

        *answers.0.lock().unwrap() = Ok(vec![ip(SITE)]);
        let refused = bed.journal.wait_for("a refusal", |stamped| match &stamped.event {
            Event::Checked { signal: Signal::Probe { .. }, passed: false, detail, .. } => Some(detail.clone()),
            _ => None,
        });
        let refused = refused.await;
        assert!(refused.starts_with(SITE) && refused.contains("refused"), "{refused}");

        *answers.0.lock().unwrap() = Err("no such name".to_owned());
        let mut last = result(&mut bed).await;
        for _ in 0..3 {
            if last.1.starts_with(SITE) {
                last = result(&mut bed).await;
            }
        }
        assert_eq!(last, (false, "no such name".to_owned(), 0.0));
    });
}
