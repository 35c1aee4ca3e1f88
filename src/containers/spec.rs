//! What a container is to be.

use std::net::Ipv4Addr;

/// What a container is to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContainerSpec {
    /// Its name on the engine; of this run alone.
    pub name: String,
    /// A reference of its image, which the engine has.
    pub image: String,
    /// In place of the image's own arguments; those when it is empty.
    pub command: Vec<String>,
    /// As `NAME=value`.
    pub environment: Vec<(String, String)>,
    /// How it is connected.
    pub wire: Wire,
    /// Whether it may wire its own network: it has `NET_ADMIN`, and the switches of a router.
    pub wires_itself: bool,
    /// Its TCP ports that the engine publishes, each at a port of its own choice.
    pub published: Vec<u16>,
}

/// How a container is connected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wire {
    /// To networks of the run, by name, with an address in each. At least one.
    Networks(Vec<(String, Ipv4Addr)>),
    /// It shares the network of another container of the run, by name.
    Of(String),
}
