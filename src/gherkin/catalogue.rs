//! The catalogue of steps: what can be said, with an example of each, and what it needs.

use cucumber::step::{Collection, Context};
use cucumber_expressions::Expression;
use futures_util::future::LocalBoxFuture;
use gherkin::StepType;
use regex::Regex;
use serde::Serialize;

use super::call::Call;
use super::explanation::Explanation;
use super::misses;
use super::parameters;
use super::shortened::shortened;
use super::steps::THEMES;
use super::world::World;

/// What a step needs of the subject and the lab.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Needs {
    /// Questions and answers: any server that serves the zone will do.
    Nothing,
    /// What a subject is told beside its questions (health, switches, where senders are), or its clock.
    Inside,
    /// A whole drill, whose server is muster's own: no other subject can take its place.
    Drill,
}

/// One step that can be said.
#[derive(Debug)]
pub struct Entry {
    /// With which keywords.
    pub keywords: &'static [StepType],
    /// Its text, as a cucumber expression.
    pub expression: &'static str,
    /// As a feature says it, with the table or the text that follows.
    pub example: &'static str,
    /// What it needs.
    pub needs: Needs,
    /// What it does.
    pub call: cucumber::Step<World>,
}

/// Steps that belong together.
#[derive(Debug)]
pub struct Theme {
    /// One word.
    pub name: &'static str,
    /// What the steps are about.
    pub about: &'static str,
    /// The steps.
    pub entries: &'static [Entry],
}

/// Makes an [`Entry`] of a function `fn(&mut World, &Call) -> Result<(), Explanation>`.
macro_rules! step {
    ($($keyword:ident)|+ $expression:literal, $needs:ident, $function:path, $example:literal) => {
        $crate::gherkin::catalogue::Entry {
            keywords: &[$(gherkin::StepType::$keyword),+],
            expression: $expression,
            example: $example,
            needs: $crate::gherkin::catalogue::Needs::$needs,
            call: |world, context| {
                $crate::gherkin::catalogue::perform(world, context, $crate::gherkin::catalogue::Needs::$needs, $function)
            },
        }
    };
}
pub(super) use step;

/// Does a step. Its failure unwinds with the [`Explanation`], which is how cucumber learns of it.
pub(super) fn perform(
    world: &mut World,
    context: Context,
    needs: Needs,
    function: fn(&mut World, &Call<'_>) -> Result<(), Explanation>,
) -> LocalBoxFuture<'_, ()> {
    Box::pin(async move {
        let text = world.feature_text();
        let call = Call::new(&context, &text);
        if context.step.ty != StepType::Then {
            world.touch();
        }
        let refusal = world.take_refusal().filter(|_| !judges_a_refusal(&context));
        let done = match refusal {
            Some(refusal) => Err(Explanation::cannot_run(format!(
                "what was submitted before this step was refused, and no `it is …` judges it: {refusal}"
            ))),
            None => world.offers(needs).and_then(|()| function(world, &call)),
        };
        let done = done.and_then(|()| call.nothing_unread());
        if let Err(explanation) = done {
            std::panic::resume_unwind(Box::new(call.placed(explanation)));
        }
    })
}

/// Whether a step says what should have become of what was submitted.
fn judges_a_refusal(context: &Context) -> bool {
    context.step.ty == StepType::Then && context.step.value.starts_with("it is ")
}

/// Every step, ready to be matched.
#[derive(Debug)]
pub struct Catalogue {
    steps: Vec<(Regex, &'static Entry)>,
}

/// An expression of the catalogue that is none: a defect of muster.
#[derive(Clone, Debug, thiserror::Error)]
#[error("step `{expression}` is no cucumber expression: {problem}; this is a defect of muster")]
pub struct ExpressionError {
    /// The step.
    pub expression: &'static str,
    /// What the parser says.
    pub problem: String,
}

impl Catalogue {
    /// Every step of every theme.
    ///
    /// # Errors
    /// When an expression is none.
    pub fn new() -> Result<Self, ExpressionError> {
        let patterns = parameters::patterns();
        let steps = THEMES.iter().flat_map(|theme| theme.entries).map(|entry| {
            let regex = Expression::regex_with_parameters(entry.expression, &patterns)
                .map_err(|error| ExpressionError { expression: entry.expression, problem: error.to_string() })?;
            Ok((regex, entry))
        });
        Ok(Self { steps: steps.collect::<Result<_, _>>()? })
    }

    /// As cucumber takes it.
    #[must_use]
    pub fn collection(&self) -> Collection<World> {
        let mut collection = Collection::new();
        for (regex, entry) in &self.steps {
            for keyword in entry.keywords {
                collection = match keyword {
                    StepType::Given => collection.given(None, regex.clone(), entry.call),
                    StepType::When => collection.when(None, regex.clone(), entry.call),
                    StepType::Then => collection.then(None, regex.clone(), entry.call),
                };
            }
        }
        collection
    }

    /// The steps that a text is, with this keyword.
    pub fn matching<'c>(&'c self, keyword: StepType, text: &'c str) -> impl Iterator<Item = &'static Entry> + 'c {
        self.steps
            .iter()
            .filter(move |(regex, entry)| entry.keywords.contains(&keyword) && regex.is_match(text))
            .map(|(_, entry)| *entry)
    }

    /// Why a text is no step, and which was most likely meant.
    #[must_use]
    pub fn undefined(&self, keyword: StepType, text: &str) -> String {
        if let Some((_, entry)) = self.steps.iter().find(|(regex, _)| regex.is_match(text)) {
            let keywords: Vec<&str> = entry.keywords.iter().copied().map(keyword_text).collect();
            return format!(
                "this step is not defined after {}; expected it after {}",
                keyword_text(keyword),
                keywords.join(" or ")
            );
        }
        let likely = self.nearest(keyword, text);
        let miss = misses::among(self.steps.iter().map(|(_, entry)| *entry), keyword, text, likely);
        let nearest = miss.as_ref().map(|miss| miss.entry).or(likely).map_or_else(String::new, |entry| {
            let first = entry.example.lines().next().unwrap_or_default();
            format!("\nthe nearest is: {}\nfor example:    {first}", entry.expression)
        });
        match miss {
            Some(miss) => miss.told() + &nearest,
            None => format!("this step is not defined; expected one that `muster steps` lists{nearest}"),
        }
    }

    /// The step that was most likely meant.
    fn nearest(&self, keyword: StepType, text: &str) -> Option<&'static Entry> {
        let text = &shortened(text);
        let words = without_parameters(text);
        let score = |entry: &Entry| {
            let same_keyword = if entry.keywords.contains(&keyword) { 0.05 } else { 0.0 };
            let example =
                entry.example.lines().next().and_then(|line| line.split_once(' ')).map_or("", |(_, step)| step);
            let by_words = strsim::sorensen_dice(&words, &without_parameters(entry.expression));
            by_words.max(strsim::sorensen_dice(text, example)) + same_keyword
        };
        let entries = self.steps.iter().map(|(_, entry)| *entry);
        entries.max_by(|one, other| score(one).total_cmp(&score(other)))
    }
}

/// A keyword as it is written.
#[must_use]
pub const fn keyword_text(keyword: StepType) -> &'static str {
    match keyword {
        StepType::Given => "Given",
        StepType::When => "When",
        StepType::Then => "Then",
    }
}

/// What is left of a step without what differs from call to call.
fn without_parameters(text: &str) -> String {
    let mut plain = String::new();
    let mut inside = None;
    for character in text.chars() {
        match (inside, character) {
            (None, '"') => inside = Some('"'),
            (None, '{') => inside = Some('}'),
            (Some(end), found) if found == end => inside = None,
            (Some(_), _) => {}
            (None, found) => plain.push(found),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use gherkin::{Feature, GherkinEnv};

    use super::*;

    #[test]
    fn every_example_is_its_own_step_and_no_other() {
        let catalogue = Catalogue::new().unwrap();
        for theme in THEMES {
            for entry in theme.entries {
                let text = format!("Feature: f\n  Scenario: s\n    {}\n", entry.example.replace('\n', "\n    "));
                let feature = Feature::parse(&text, GherkinEnv::default()).unwrap();
                let step = &feature.scenarios[0].steps[0];
                assert!(entry.keywords.contains(&step.ty), "{}", entry.example);
                let found: Vec<&str> = catalogue.matching(step.ty, &step.value).map(|entry| entry.expression).collect();
                assert_eq!(found, [entry.expression], "{}", entry.example);
            }
        }
    }

    #[test]
    fn the_vocabulary_stays_small() {
        let count: usize = THEMES.iter().map(|theme| theme.entries.len()).sum();
        assert!(count <= 64, "{count}");
    }

    #[test]
    fn a_step_that_is_not_defined_names_the_nearest() {
        let catalogue = Catalogue::new().unwrap();
        let text = catalogue.undefined(StepType::When, "time goes on for 60 s");
        assert!(text.starts_with("this step is not defined; expected one that `muster steps` lists"), "{text}");
        let text = catalogue.undefined(StepType::When, "the queston is asked agian");
        assert!(text.contains("the nearest is: the question is asked again"), "{text}");
    }

    #[test]
    fn a_choice_that_a_step_does_not_have_is_told_those_that_it_has_and_the_nearest() {
        let catalogue = Catalogue::new().unwrap();
        for (keyword, step, told) in [
            (StepType::When, "a client from Brazil asks for A \"www\"", "`from Brazil` is no {vantage}"),
            (
                StepType::Given,
                "the switch \"query relative child health\" is on",
                "did you mean `\"query-relative child health\"`?",
            ),
            (StepType::When, "many client ask for A \"www\"", "did you mean `many clients`?"),
            (StepType::Then, "the response is NODTA", "did you mean `NODATA`?"),
            (StepType::Then, "the response is SERVFAIL", "expected one of `NODATA`, `NXDOMAIN`, `REFUSED`,"),
            (
                StepType::Then,
                "it is rejected",
                "`rejected` is no {taken}; expected one of `accepted`, `refused: \"…\"`",
            ),
            (StepType::Then, "a probe of \"hc\" fail: \"x\"", "did you mean `fails: \"…\"`?"),
            (StepType::Given, "the health check \"hc\" is dissabled", "did you mean `disabled`?"),
            (StepType::When, "the endpoint of \"hc\" refuses connection", "did you mean `refuses connections`?"),
            (StepType::When, "the metric of \"age\" breaches", "did you mean `breaches from now on`?"),
            (StepType::Then, "the additional section holds no adresses", "did you mean `no addresses`?"),
            (StepType::Then, "the drill succeeds", "expected one of `passes`, `fails`, `stays inside its predictions`"),
        ] {
            let text = catalogue.undefined(keyword, step);
            assert!(text.contains(told), "{step}: {text}");
        }
    }

    #[test]
    fn a_step_after_the_wrong_keyword_says_which_is_right() {
        let catalogue = Catalogue::new().unwrap();
        let text = catalogue.undefined(StepType::Given, "the answer is p");
        assert_eq!(text, "this step is not defined after Given; expected it after Then");
    }
}
