//! Why there is no Docker lab.

/// What a plan asks for that a Docker lab does not have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LayoutError {
    /// A wire has too few addresses.
    #[error(
        "{pods} resolvers and clients are more than one network carries, which is {most}; make the drill smaller, or \
         run it in the embedded lab"
    )]
    TooManyPods {
        /// How many were asked for.
        pods: usize,
        /// How many there can be.
        most: usize,
    },
}
