//! Every mistake that loading a campaign tells, as it is told.

use std::fs;
use std::path::Path;

use super::*;
use crate::campaign::played;

const CAMPAIGN: &str = "\
campaign: test
title: A test
drills:
  - database-down.yaml
  - region-down.yaml
";

/// A folder with the ready drills and the campaigns of a test.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let ready = Path::new(env!("CARGO_MANIFEST_DIR")).join("drills");
        for drill in ["database-down.yaml", "region-down.yaml"] {
            let text = fs::read_to_string(ready.join(drill)).unwrap();
            let zones = ready.join("zones").display().to_string();
            fs::write(folder.path().join(drill), text.replace("zone: zones", &format!("zone: {zones}"))).unwrap();
        }
        Self(folder)
    }

    fn file(&self, name: &str, text: &str) -> PathBuf {
        let file = self.0.path().join(name);
        fs::write(&file, text).unwrap();
        file
    }

    /// The drill of a file, with one thing changed, in a file of its own.
    fn changed(&self, from: &str, to: &str, (old, new): (&str, &str)) {
        let text = fs::read_to_string(self.0.path().join(from)).unwrap();
        assert!(text.contains(old), "{old}");
        self.file(to, &text.replacen(old, new, 1));
    }

    /// What is told of this campaign; file names are those inside the folder.
    fn mistakes(&self, text: &str) -> String {
        self.told(&load(&self.file("campaign.yaml", text)).map(drop).unwrap_err())
    }

    fn told(&self, errors: &CampaignErrors) -> String {
        assert!(!errors.errors.is_empty());
        errors.to_string().replace(&format!("{}/", self.0.path().display()), "")
    }
}

fn mistakes(old: &str, new: &str) -> String {
    assert!(CAMPAIGN.contains(old), "{old}");
    Folder::new().mistakes(&CAMPAIGN.replacen(old, new, 1))
}

#[test]
fn the_ready_campaign_holds_no_drill_that_passes_when_something_goes_wrong() {
    let campaign = played::quarterly();
    assert!(campaign.drills.len() > 10 && campaign.at_once == 3);
    let hazards = campaign.drills.iter().filter(|member| member.drill.hazard.is_some());
    let hazards: Vec<&str> = hazards.map(|member| member.drill.name.as_str()).collect();
    assert_eq!(hazards, [] as [&str; 0]);
}

#[test]
fn how_many_run_side_by_side_is_four_unless_said() {
    let folder = Folder::new();
    let at_once = |text: &str| load(&folder.file("campaign.yaml", text)).unwrap().at_once;
    assert_eq!(at_once(CAMPAIGN), 4);
    assert_eq!(at_once(&format!("{CAMPAIGN}at-once: 16\n")), 16);
}

#[test]
fn a_file_is_what_its_key_at_the_top_says() {
    let folder = Folder::new();
    let kind_of = |text: &str| kind(&folder.file("file.yaml", text));
    assert_eq!(kind_of("campaign: a\n").unwrap(), Kind::Campaign);
    assert_eq!(kind_of("title: x\ndrill: a\n").unwrap(), Kind::Drill);
    assert_eq!(kind_of("drill: a\ncampaign: b\n").unwrap(), Kind::Campaign);
    assert_eq!(kind_of("no: [yaml").unwrap(), Kind::Drill, "loading it as a drill tells why it cannot be read");
    assert_eq!(kind(Path::new("no/such/file.yaml")).unwrap(), Kind::Drill);
}

#[test]
fn a_file_that_is_neither_is_told_what_both_would_be() {
    let folder = Folder::new();
    let told = |text: &str| folder.told(&kind(&folder.file("file.yaml", text)).unwrap_err());
    insta::assert_snapshot!(told("# a comment\ndril: a\ntitle: x\n"), @"file.yaml:2:1: neither `drill` nor `campaign` stands among the keys at the top (`dril`, `title`); write `drill: <name>` for a drill, or `campaign: <name>` for several that are run as one");
    insta::assert_snapshot!(told(""), @"file.yaml:1:1: neither `drill` nor `campaign` stands among the keys at the top (there are none); write `drill: <name>` for a drill, or `campaign: <name>` for several that are run as one");
}

#[test]
fn an_unknown_key_is_told_with_the_nearest_name() {
    insta::assert_snapshot!(mistakes("title:", "at-onse: 3\ntitle:"), @"campaign.yaml:2:1: unknown key `at-onse`; did you mean `at-once`? Known here: `campaign`, `title`, `drills`, `at-once`");
    insta::assert_snapshot!(mistakes("drills:", "drill: x\ndrills:"), @"campaign.yaml:3:1: unknown key `drill`; did you mean `drills`? Known here: `campaign`, `title`, `drills`, `at-once`");
}

#[test]
fn a_key_that_is_missing_or_of_the_wrong_shape_is_told() {
    insta::assert_snapshot!(mistakes("title: A test\n", ""), @"campaign.yaml:1:1: the campaign does not fit: `title` is missing; see the ready drills for how it is written");
    insta::assert_snapshot!(mistakes("title: A test\n", "title: A test\nat-once: many\n"), @r#"campaign.yaml:3:10: at-once does not fit: found the text "many"; expected a whole number from 0 to 4294967295; see the ready drills for how it is written"#);
}

#[test]
fn a_campaign_without_drills_is_refused() {
    insta::assert_snapshot!(
        Folder::new().mistakes("campaign: test\ntitle: A test\ndrills: []\n"), @"campaign.yaml:3:1: `drills` is empty; write at least one entry below `drills`");
}

#[test]
fn a_number_that_no_machine_can_run_at_once_is_refused() {
    insta::assert_snapshot!(mistakes("drills:", "at-once: 0\ndrills:"), @"campaign.yaml:3:10: `at-once` is 0, expected 1 to 16; write a value within the bounds");
    insta::assert_snapshot!(mistakes("drills:", "at-once: 17\ndrills:"), @"campaign.yaml:3:10: `at-once` is 17, expected 1 to 16; write a value within the bounds");
}

#[test]
fn a_drill_that_is_not_there_is_told_where_it_is_named() {
    insta::assert_snapshot!(mistakes("region-down", "region-up"), @"campaign.yaml:5:5: cannot be read: region-up.yaml: No such file or directory (os error 2); check the path and its permissions");
}

#[test]
fn a_drill_named_twice_is_refused_however_it_is_written() {
    insta::assert_snapshot!(mistakes("region-down", "./database-down"), @"campaign.yaml:5:5: ./database-down.yaml stands in this campaign twice, first on line 4; keep one of them");
}

#[test]
fn two_files_with_one_drills_name_are_refused() {
    let folder = Folder::new();
    folder.changed("database-down.yaml", "copy.yaml", ("title:", "title: "));
    insta::assert_snapshot!(folder.mistakes(&CAMPAIGN.replace("region-down", "copy")), @"campaign.yaml:5:5: copy.yaml is the drill `database-down`, and so is database-down.yaml; rename one of them: their reports could not be told apart");
}

#[test]
fn a_campaign_inside_a_campaign_is_refused() {
    let folder = Folder::new();
    folder.file("inside.yaml", CAMPAIGN);
    insta::assert_snapshot!(folder.mistakes(&CAMPAIGN.replace("region-down", "inside")), @"campaign.yaml:5:5: inside.yaml is a campaign itself; write its drills into this list instead");
    insta::assert_snapshot!(folder.mistakes(&CAMPAIGN.replace("region-down", "campaign")), @"campaign.yaml:5:5: campaign.yaml is a campaign itself; write its drills into this list instead");
}

#[test]
fn a_name_of_the_campaign_is_a_plain_word_and_its_title_a_line() {
    insta::assert_snapshot!(mistakes("campaign: test", "campaign: A Test"), @"campaign.yaml:1:1: `A Test` cannot be used as the campaign's name: expected 1 to 60 lower-case letters, digits and `-`; write another one");
    insta::assert_snapshot!(mistakes("title: A test", "title: ''"), @"campaign.yaml:2:8: `title` is empty; say in one line what happens");
}

#[test]
fn the_mistakes_of_every_file_are_told_at_once() {
    let folder = Folder::new();
    folder.changed("database-down.yaml", "a.yaml", ("kill-database: sa-east-1", "kill-database: sa-east-2"));
    folder.changed("region-down.yaml", "b.yaml", ("title:", "titel:"));
    let drills = "drills:\n  - a.yaml\n  - missing.yaml\n  - b.yaml\nat-once: 99\n";
    insta::assert_snapshot!(folder.mistakes(&format!("campaign: test\ntitle: ''\n{drills}")), @"
    campaign.yaml:2:8: `title` is empty; say in one line what happens
    campaign.yaml:5:5: cannot be read: missing.yaml: No such file or directory (os error 2); check the path and its permissions
    campaign.yaml:7:10: `at-once` is 99, expected 1 to 16; write a value within the bounds
    a.yaml:54:25: unknown cell `sa-east-2`; did you mean `sa-east-1`? Known here: `eu-central-1`, `maintenance`, `maintenance-eu`, `sa-east-1`, `us-east-1`
    b.yaml:6:1: unknown key `titel`; did you mean `title`? Known here: `drill`, `title`, `hazard`, `estimate`, `zone`, `name`, `cells`, `health-checks`, `probes`, `routing-controls`, `resolvers`, `clients`, `fault`, `faults`, `hold`, `recover`, `observe`, `expect`
    ");
}

#[test]
fn a_text_that_is_no_yaml_is_told_where_it_stops_being_it() {
    insta::assert_snapshot!(mistakes("title: A test", "title: A test\ntitle: again"), @"campaign.yaml:3:1: not readable as YAML: key `title` stands twice; the first is on line 2");
}
