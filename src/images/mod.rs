//! The images of the Docker lab, and how they are built.
//!
//! What is to be built is worked out from the [`catalogue`] and from what the engine has ([`work`]): pure. [`engine`]
//! talks to the engine, [`debian`] finds or makes the Debian that all stand on, [`build`] leads. It knows nothing of
//! drills, and starts no container but those in which the engine builds.

pub mod build;
pub mod catalogue;
mod context;
pub mod debian;
pub mod engine;
pub mod inventory;
mod made_from;
pub mod own;
mod trouble;
pub mod work;

pub use build::{Built, Progress, Wanted, build};
pub use catalogue::{CATALOGUE, Image};
pub use engine::{Engine, Held};
pub use made_from::MadeFrom;
pub use own::own_image;
pub use trouble::ImagesError;
