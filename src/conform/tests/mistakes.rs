//! What is wrong with a feature is told at its line and column, before anything runs.

use super::{FILE, PAIR, read, scenario};

/// What is told of a text that must be refused: each mistake, with the place before it.
fn told(text: &str) -> String {
    let errors = read(text).map(|_| ()).unwrap_err().to_string();
    errors.lines().map(|line| line.strip_prefix(&format!("{FILE}:")).unwrap_or(line)).collect::<Vec<_>>().join("\n")
}

fn each(cases: &[(String, &str, &str)]) {
    for (text, place, problem) in cases {
        let told = told(text);
        assert!(told.starts_with(&format!("{place}: ")), "{place} {problem}\n{told}\n{text}");
        assert!(told.contains(problem), "{place} {problem}\n{told}\n{text}");
    }
}

const OUTLINE: &str =
    "  Scenario Outline: one\n    When a client asks for A \"<name>\"\n    Then the answer is <answer>\n\n";

fn outline(examples: &str) -> String {
    format!("{PAIR}\n{OUTLINE}    Examples:\n{examples}")
}

#[test]
fn an_outline_that_proves_less_than_it_seems_to_is_refused() {
    let head = "      | name | answer |\n";
    let row = "      | www  | p      |\n";
    each(&[
        (outline(head), "12:5", "these examples have no row"),
        (outline(&format!("{head}{row}\n    Examples: of nothing\n{head}")), "16:5", "these examples have no row"),
        (outline(&format!("{head}{row}\n    Examples:\n")), "16:5", "these examples have no row"),
        (
            outline("      | name | answer | name |\n      | www  | p      | www  |\n"),
            "13:25",
            "column `name` stands twice",
        ),
        (
            outline("      | name | answer | why  |\n      | www  | p      | so   |\n"),
            "13:25",
            "no step uses column `why`; expected `<why>` in a step",
        ),
        (outline("      | name | answer |  |\n      | www  | p      |  |\n"), "13:24", "this column has no name"),
        (
            outline("      | name | answr |\n      | www  | p     |\n"),
            "10:24",
            "`<answer>` is no column of the examples; expected one of | name | answr |; did you mean `<answr>`?",
        ),
    ]);
}

#[test]
fn a_placeholder_without_a_column_is_found_in_a_table_a_text_and_a_name() {
    let rows = "    Examples:\n      | name |\n      | www  |\n";
    let asked = "    When a client asks for A \"<name>\"\n";
    each(&[
        (
            format!("{PAIR}\n  Scenario Outline: <nam>\n{asked}    Then the answer is p\n{rows}"),
            "8:21",
            "did you mean `<name>`?",
        ),
        (
            format!(
                "{PAIR}\n  Scenario Outline: o\n{asked}    Then the answers are shared:\n      | answer | share |\n      | p | <x> |\n{rows}"
            ),
            "12:13",
            "`<x>` is no column",
        ),
        (
            format!(
                "{PAIR}\n  Scenario Outline: o\n{asked}    Then the answer is p\n      \"\"\"\n      é <x>\n      \"\"\"\n{rows}"
            ),
            "12:9",
            "`<x>` is no column",
        ),
    ]);
}

#[test]
fn a_scenario_that_may_be_tried_again_is_refused() {
    let steps = "When a client asks for A \"www\"\nThen the answer is p";
    for tag in ["@retry", "@retry(3)", "@retry(1).after(1s)"] {
        each(&[(format!("{tag}\n{}", scenario(steps)), "1:1", "expected no `@retry`")]);
    }
}

#[test]
fn a_rule_that_the_rulebook_does_not_have_is_refused_wherever_it_is_named() {
    let steps = "When a client asks for A \"www\"\nThen the answer is p";
    let tagged = |tags: &str| scenario(steps).replace("  Scenario:", &format!("  {tags}\n  Scenario:"));
    each(&[
        (tagged("@slow @R53-9999"), "8:9", "no rule R53-9999; the nearest is R53-246: "),
        (format!("@R53-0\n{}", scenario(steps)), "1:1", "the nearest is R53-1: "),
        (
            scenario(steps).replace("  Scenario:", "  Rule: As R53-247 says\n  Scenario:"),
            "8:12",
            "the nearest is R53-246: ",
        ),
    ]);
    for free in ["@R53-25 @CD-9999", "@r53-9999", "@R53-x", "@issue-12"] {
        assert!(read(&tagged(free)).is_ok(), "{free}");
    }
}

#[test]
fn what_nothing_judges_is_refused() {
    let (ask, judge) = ("    When a client asks for A \"www\"\n", "    Then the answer is p\n");
    let of = |scenarios: &str| format!("{PAIR}\n{scenarios}");
    each(&[
        (of(&format!("  Scenario: s\n{ask}{judge}{ask}")), "11:5", "this `When` stands behind the last `Then`"),
        (of(&format!("  Scenario: s\n{ask}{judge}    Given 5 s pass\n")), "11:5", "this `Given` stands behind"),
        (of(&format!("  Scenario: s\n{ask}")), "8:3", "has no `Then`, so it would prove nothing"),
        (of(&format!("  Scenario: s\n\n  Scenario: t\n{ask}{judge}")), "8:3", "`Scenario: s` has no step"),
        (of("  Scenario: s\n"), "8:3", "`Scenario: s` has no step"),
        (of(&format!("  Rule: r\n\n  Rule: s\n    Scenario: t\n{ask}{judge}")), "8:3", "`Rule: r` has no scenario"),
        (of(&format!("  Rule: r\n    Scenario: t\n{ask}{judge}  Rule: s\n")), "12:3", "`Rule: s` has no scenario"),
        (
            of(&format!("  Rule: r\n    Background:\n\n    Scenario: t\n{ask}{judge}")),
            "9:5",
            "`Background:` has no step",
        ),
        (of(""), "1:1", "this feature has no scenario"),
        ("Feature: f\n  When a client asks for A \"www\"\n".to_owned(), "1:1", "no scenario"),
        (
            format!("Feature: f\n{ask}  Scenario: s\n{ask}{judge}"),
            "2:5",
            "stands in no scenario; expected `Scenario:` or `Background:` before it",
        ),
    ]);
}

#[test]
fn a_line_that_cannot_be_read_is_told_at_its_first_character() {
    let (ask, judge) = ("    When a client asks for A \"www\"\n", "    Then the answer is p\n");
    let with = |steps: &str| format!("{PAIR}\n  Scenario: s\n{steps}");
    each(&[
        (with(&format!("{ask}    * the answer is p\n{judge}")), "10:5", "`*` does not say what `the answer is p` is"),
        (format!("# language: xx\n{}", with(ask)), "1:13", "language `xx` is not known"),
        (format!("\n  #language:xx\n{}", with(ask)), "2:13", "language `xx` is not known"),
        (with(&format!("{ask}      \"\"\"\n      abc\n{judge}")), "10:7", "this text is never ended"),
        (with(&format!("{ask}      ```\n      abc\n{judge}")), "10:7", "this text is never ended"),
        (with(&format!("{ask}      \"\"\"\n      \"\"\" x\n{judge}")), "11:11", "`x` stands behind"),
        (
            with("").replace("  Scenario:", "  @tag with space\n  Scenario:"),
            "8:8",
            "`with` is no tag; expected `@` and a name without spaces, as `@with`",
        ),
        (with("").replace("  Scenario:", "  @é @\n  Scenario:"), "8:6", "`@` is no tag"),
        (with(&format!("{ask}{judge}  @late\n")), "11:3", "this tag belongs to nothing"),
        (with(&format!("{ask}{judge}  @late\n{ask}")), "11:3", "this tag belongs to nothing"),
        (with(&format!("{ask}\n        Thn the answer is p\n")), "11:9", "has no place here; expected a step"),
        (with(&format!("{ask}        Thn the answer is p\n")), "10:9", "did you mean `Then`?"),
        (with(&format!("      Whn a client asks for A \"www\"\n{judge}")), "9:7", "`Whn` is no keyword of a step"),
        (with(&format!("{ask}{judge}      | a | b |\n      | c |\n")), "12:9", "this row has 1 cells; expected 2"),
        (with(&format!("{ask}{judge}      | a | b |\n      | c | d\n")), "12:13", "the row ends with `d`"),
        (with(&format!("{ask}{judge}      | a\\d |\n")), "11:10", "`\\d` is nothing that a cell can say"),
        (with(&format!("{ask}{judge}  Feature: g\n")), "11:3", "a file has one feature"),
        (with(&format!("{ask}{judge}  Background:\n{ask}")), "11:3", "a background stands once"),
        (
            with(&format!("{ask}{judge}    Examples:\n      | a |\n      | b |\n{judge}")),
            "14:5",
            "the steps of an outline stand before its examples",
        ),
        ("  Scenario: s\n".to_owned(), "1:3", "expected `Feature:` first"),
        ("  Featur: s\n".to_owned(), "1:3", "did you mean `Feature:`?"),
        (String::new(), "1:1", "the file ends without a feature"),
        ("# only a comment\n".to_owned(), "1:1", "the file ends without a feature"),
        (
            "Feature: f\n  Scenarios are told\n  Scenario: s\n    Then the response is NODATA\n".to_owned(),
            "2:3",
            "A description has no line",
        ),
    ]);
}

#[test]
fn what_gherkin_allows_is_read() {
    let pair = PAIR.replacen(
        "Feature: f\n",
        "# a note\n\n@a @b # why\n@c\nFeature: f\n  When all is well, say so.\n  - é\n",
        1,
    );
    let text = format!(
        "{pair}\n  # note\n  Rule: r\n    Told here\n\n    @x\n    Example: s\n      As \"\"\" or | it is told\n      When a client asks for A \"www\"\n      \
         # between\n      Then the answers are shared:\n        | answer | share |\n        # note\n\n        | a\\|b | 1 |\n\n\
         \u{20}   Scenario Template: t\n      Then the answer is <a>\n      @y\n      Scenarios: some\n        told\n        | a |\n        | p |\n"
    );
    let features = read(&text).map_err(|error| error.to_string()).unwrap();
    let lines: Vec<usize> =
        features.parsed[0].rules[0].scenarios.iter().map(|scenario| scenario.position.line).collect();
    let row = text.lines().position(|line| line.trim() == "| p |").unwrap() + 1;
    assert_eq!(lines[1], row);
}

#[test]
fn an_example_stands_on_the_line_of_its_row_whatever_stands_between() {
    let rows =
        "\n      told here\n      | name | answer |\n      # why\n      | www  | p      |\n\n      | @    | p      |\n";
    let text = outline(rows);
    let features = read(&text).unwrap();
    let found: Vec<usize> = features.parsed[0].scenarios.iter().map(|scenario| scenario.position.line).collect();
    let row = |cell: &str| text.lines().position(|line| line.contains(cell)).unwrap() + 1;
    assert_eq!(found, [row("| www  | p  "), row("| @ ")]);
}

#[test]
fn an_outline_of_many_examples_is_read_row_by_row_and_one_of_too_many_is_refused() {
    let of = |count: usize| outline(&format!("      | name | answer |\n{}", "      | www  | p      |\n".repeat(count)));
    let features = read(&of(3000)).unwrap();
    assert_eq!(features.parsed[0].scenarios.len(), 3000);
    // Were each to carry the rows of all, this would be the square of them.
    let rows = features.parsed[0].scenarios.iter().flat_map(|one| &one.examples).filter_map(|one| one.table.as_ref());
    assert_eq!(rows.map(|table| table.rows.len()).sum::<usize>(), 6000);
    let told = told(&of(20_001));
    assert!(told.contains("expected at most 20000 lines") && told.contains("divide its scenarios"), "{told}");
}
