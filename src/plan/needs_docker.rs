//! Which drills only a lab of containers can run.

use super::{ClientRuns, Fault, Plan};

impl Plan {
    /// Why only a lab of containers can run this, for people; `None` when any lab can.
    ///
    /// A resolver or client whose program is named can be run anywhere: muster's own of the same kind stands for it.
    #[must_use]
    pub fn needs_docker(&self) -> Option<String> {
        let stale = self.resolvers.iter().filter(|(_, resolver)| resolver.serve_stale.is_some()).map(|(name, _)| {
            format!("resolver {name} may give answers that have expired (`serve-stale`), and muster's own never does")
        });
        let images = self.clients.iter().filter_map(|(name, client)| match &client.runs {
            ClientRuns::Image(own) => Some(format!("client {name} is the image {}", own.image)),
            ClientRuns::Muster | ClientRuns::Known(_) => None,
        });
        let balanced = self.cells.iter().filter_map(|(name, cell)| {
            let software = cell.kind.load_balancer_software()?;
            Some(format!("the load balancer of {name} is {software}, and no other lab runs that"))
        });
        let cut_off = self.faults.iter().filter_map(|fault| match fault {
            Fault::PartitionRegion(cell) => {
                Some(format!("{cell} is cut off (`partition-region`), and no other lab has a wire to cut"))
            }
            _ => None,
        });
        stale.chain(images).chain(balanced).chain(cut_off).next()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::journal::synthetic;
    use crate::plan::{CellKind, ClientImage, ClientSoftware, LoadBalancerSoftware, ResolverSoftware};

    #[test]
    fn what_no_program_of_musters_own_stands_for_needs_containers() {
        let mut plan = synthetic::plan();
        plan.resolvers.get_mut("br-isp").unwrap().software = Some(ResolverSoftware::Unbound);
        plan.clients.get_mut("br-fresh").unwrap().runs = ClientRuns::Known(ClientSoftware::Curl);
        assert_eq!(plan.needs_docker(), None);
        let image = ClientImage { image: "example/app:1".into(), command: Vec::new(), environment: [].into() };
        plan.clients.get_mut("us-fresh").unwrap().runs = ClientRuns::Image(image);
        assert_eq!(plan.needs_docker().unwrap(), "client us-fresh is the image example/app:1");
        plan.clients.get_mut("us-fresh").unwrap().runs = ClientRuns::Muster;
        plan.faults = vec![Fault::PartitionRegion("sa-east-1".to_owned())];
        assert!(plan.needs_docker().unwrap().starts_with("sa-east-1 is cut off"));
        let CellKind::Region(region) = &mut plan.cells.get_mut("sa-east-1").unwrap().kind else { panic!("a region") };
        region.load_balancer_software = Some(LoadBalancerSoftware::Haproxy);
        let told = "the load balancer of sa-east-1 is haproxy, and no other lab runs that";
        assert_eq!(plan.needs_docker().unwrap(), told);
        plan.resolvers.get_mut("br-isp").unwrap().serve_stale = Some(Duration::from_secs(60));
        assert!(plan.needs_docker().unwrap().starts_with("resolver br-isp may give answers that have expired"));
    }
}
