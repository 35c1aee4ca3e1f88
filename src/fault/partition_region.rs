//! A region is cut off from everything outside: packets to it and from it vanish, and nobody refuses. Inside it all is
//! well.
//!
//! The router between the wires of the lab drops whatever has a lab address of the region on one end. The wire itself is
//! left in place: on it the region's own processes go on telling what they see, as they see it.
//!
//! So goes, on purpose, the health of its load balancer. Evaluate target health goes by what AWS knows of the load
//! balancer, and that comes from the load balancer's own checks inside the region, by AWS's own ways; the internet is no
//! part of them. Route 53 therefore sees such a partition by endpoint checks alone, whose checkers stand outside.

use super::{Anatomy, Entry, Harm, Part};

pub(super) const ENTRY: Entry = Entry {
    word: "partition-region",
    harm: Harm::CutOff,
    needs: "a region without a queue",
    fits: |anatomy| matches!(anatomy, Anatomy::Region { queue: false, .. }),
    parts: |_, _| vec![Part::LoadBalancer],
    subject: |cell| format!("the way to {cell}"),
    breaks: |cell| format!("{cell} is cut off: packets to it and from it vanish; inside it all is well"),
    confirmed: |_| "connections to its load balancer are neither accepted nor refused within 5 s".to_owned(),
    undo: |cell| format!("let packets to and from {cell} through again"),
};
