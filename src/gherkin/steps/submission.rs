//! What becomes of what was submitted.

use crate::gherkin::catalogue::{Theme, step};
use crate::gherkin::{Call, Explanation, World};

pub(super) const THEME: Theme = Theme {
    name: "submission",
    about: "what becomes of what was submitted: a health check, an alarm, a turn of a routing control",
    entries: &[
        step!(Then "it is accepted", Inside, accepted, "Then it is accepted"),
        step!(Then "it is refused: {string}", Inside, refused, "Then it is refused: \"R53-121\""),
    ],
};

fn accepted(world: &mut World, call: &Call<'_>) -> Result<(), Explanation> {
    match world.submitted.as_ref().ok_or_else(|| call.refuse("nothing was submitted"))? {
        Ok(()) => Ok(()),
        Err(why) => Err(Explanation::wrong(format!("expected: it is accepted\nfound:    {why}"))),
    }
}

fn refused(world: &mut World, call: &Call<'_>) -> Result<(), Explanation> {
    let expected = call.word(0);
    match world.submitted.as_ref().ok_or_else(|| call.refuse("nothing was submitted"))? {
        Err(why) if why.contains(expected) => Ok(()),
        Err(why) => Err(Explanation::wrong(format!("expected: it is refused: {expected}\nfound:    {why}"))),
        Ok(()) => Err(Explanation::wrong(format!("expected: it is refused: {expected}\nfound:    it is accepted"))),
    }
}
