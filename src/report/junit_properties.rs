//! What the `JUnit` report says beyond what junit-report can write: the crate writes no `<properties>`, no name of the
//! whole report and no count of what was skipped, and it always writes a `timestamp`. One pass over its XML sets that
//! right, and indents it for people.
//!
//! It never knows what a drill is, nor what a property says.

use quick_xml::events::attributes::AttrError;
use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, Writer};

use super::xml_text::held;

/// XML to which the properties cannot be added.
#[derive(Debug, thiserror::Error)]
pub enum PropertiesError {
    /// It cannot be read, or not be written again.
    #[error("what junit-report wrote is no XML to add properties to: {0}")]
    Xml(#[from] quick_xml::Error),
    /// A byte of it is in no text.
    #[error("with its properties it is not UTF-8: {0}")]
    Text(#[from] std::string::FromUtf8Error),
    /// Properties would stand in the wrong place.
    #[error(
        "junit-report wrote {written} suites and cases where {expected} were expected: a defect of muster, report it"
    )]
    Elements {
        /// `<testsuites>`, `<testsuite>` and `<testcase>` in the XML.
        written: usize,
        /// Additions that there are for them.
        expected: usize,
    },
}

/// One `<property>`, in text that XML can hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Property {
    name: String,
    value: String,
}

/// What is added to one element.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Additions {
    /// Attributes that are set, or left out where there is no value.
    attributes: Vec<(&'static str, Option<String>)>,
    properties: Vec<Property>,
}

impl Property {
    pub(super) fn new(name: impl AsRef<str>, value: impl AsRef<str>) -> Self {
        Self { name: held(name.as_ref()), value: held(value.as_ref()) }
    }
}

impl From<Vec<Property>> for Additions {
    fn from(properties: Vec<Property>) -> Self {
        Self { attributes: Vec::new(), properties }
    }
}

impl Additions {
    /// Sets an attribute, in the place of one with this name.
    pub(super) fn set(mut self, attribute: &'static str, value: &(impl ToString + ?Sized)) -> Self {
        self.attributes.push((attribute, Some(held(&value.to_string()))));
        self
    }

    /// Leaves out an attribute that junit-report writes.
    pub(super) fn leave_out(mut self, attribute: &'static str) -> Self {
        self.attributes.push((attribute, None));
        self
    }

    /// Adds properties, in their order, behind those that are there.
    pub(super) fn add(&mut self, properties: impl IntoIterator<Item = Property>) {
        self.properties.extend(properties);
    }

    fn attributes_of<'a>(&self, element: &'a BytesStart<'a>) -> Result<BytesStart<'a>, AttrError> {
        let changed = |key: &[u8]| self.attributes.iter().any(|(name, _)| name.as_bytes() == key);
        let mut whole = element.borrow();
        whole.clear_attributes();
        for attribute in element.attributes() {
            let attribute = attribute?;
            if !changed(attribute.key.as_ref()) {
                whole.push_attribute(attribute);
            }
        }
        let set = self.attributes.iter().filter_map(|(name, value)| Some((*name, value.as_deref()?)));
        Ok(whole.with_attributes(set))
    }
}

/// Adds to `<testsuites>`, and to every `<testsuite>` and `<testcase>`, in the order in which they begin in the XML.
///
/// # Errors
/// When the text is not well-formed, and when there are more or fewer additions than such elements.
pub(super) fn add(xml: &str, additions: &[Additions]) -> Result<String, PropertiesError> {
    let mut reader = Reader::from_str(xml);
    let mut writer = Writer::new_with_indent(Vec::new(), b' ', 4);
    let mut written = 0;
    loop {
        let event = reader.read_event()?;
        if matches!(event, Event::Eof) {
            break;
        }
        let of = takes_additions(&event).then(|| additions.get(written)).flatten();
        written += usize::from(takes_additions(&event));
        match of {
            Some(of) => write_with(&mut writer, event, of)?,
            None => writer.write_event(event).map_err(quick_xml::Error::from)?,
        }
    }
    if written != additions.len() {
        return Err(PropertiesError::Elements { written, expected: additions.len() });
    }
    let mut whole = String::from_utf8(writer.into_inner())?;
    whole.push('\n');
    Ok(whole)
}

fn takes_additions(event: &Event<'_>) -> bool {
    let (Event::Start(element) | Event::Empty(element)) = event else { return false };
    matches!(element.name().as_ref(), b"testsuites" | b"testsuite" | b"testcase")
}

fn write_with(writer: &mut Writer<Vec<u8>>, event: Event<'_>, of: &Additions) -> quick_xml::Result<()> {
    match event {
        Event::Empty(element) if of.properties.is_empty() => {
            writer.write_event(Event::Empty(of.attributes_of(&element)?))?;
        }
        Event::Empty(element) => {
            begin(writer, &element, of)?;
            writer.write_event(Event::End(element.to_end()))?;
        }
        Event::Start(element) => begin(writer, &element, of)?,
        other => writer.write_event(other)?,
    }
    Ok(())
}

/// The start of an element and its properties: they come first in it, as the schema of Ant's `JUnit` task wants it.
fn begin(writer: &mut Writer<Vec<u8>>, element: &BytesStart<'_>, of: &Additions) -> quick_xml::Result<()> {
    writer.write_event(Event::Start(of.attributes_of(element)?))?;
    if of.properties.is_empty() {
        return Ok(());
    }
    writer.create_element("properties").write_inner_content(|inside| {
        of.properties.iter().try_for_each(|Property { name, value }| {
            let both = [("name", name.as_str()), ("value", value.as_str())];
            inside.create_element("property").with_attributes(both).write_empty().map(drop)
        })
    })?;
    Ok(())
}

/// XML as a reader gets it.
#[cfg(test)]
pub(super) mod element {
    use std::collections::BTreeMap;

    use quick_xml::events::{BytesStart, Event};
    use quick_xml::{Reader, XmlVersion};

    /// One element and what is in it.
    #[derive(Debug, Default)]
    pub(crate) struct Element {
        pub(crate) name: String,
        pub(crate) attributes: BTreeMap<String, String>,
        pub(crate) inside: Vec<Element>,
        /// Of its CDATA sections.
        pub(crate) text: String,
    }

    impl Element {
        fn begun(start: &BytesStart<'_>) -> Self {
            let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
            let attributes = start.attributes().map(|attribute| {
                let attribute = attribute.unwrap();
                let value = attribute.normalized_value(XmlVersion::Explicit1_0).unwrap();
                (text(attribute.key.as_ref()), value.into_owned())
            });
            Self { name: text(start.name().as_ref()), attributes: attributes.collect(), ..Self::default() }
        }

        /// The root of a whole document. Whatever is not well-formed is a panic.
        pub(crate) fn read(xml: &str) -> Self {
            let mut reader = Reader::from_str(xml);
            let mut open = vec![Self::default()];
            loop {
                match reader.read_event().unwrap() {
                    Event::Start(start) => open.push(Self::begun(&start)),
                    Event::Empty(start) => open.last_mut().unwrap().inside.push(Self::begun(&start)),
                    Event::End(_) => {
                        let done = open.pop().unwrap();
                        open.last_mut().unwrap().inside.push(done);
                    }
                    Event::CData(text) => open.last_mut().unwrap().text += &text.decode().unwrap(),
                    Event::Text(blank) => assert!(blank.decode().unwrap().trim().is_empty(), "{blank:?}"),
                    Event::Eof => break,
                    Event::Decl(_) => {}
                    other => panic!("not in a report: {other:?}"),
                }
            }
            let [document] = <[Self; 1]>::try_from(open).unwrap();
            let [root] = <[Self; 1]>::try_from(document.inside).unwrap();
            root
        }

        /// The elements of this name that stand in it.
        pub(crate) fn all(&self, name: &str) -> Vec<&Self> {
            self.inside.iter().filter(|element| element.name == name).collect()
        }

        /// Its own properties, in their order: names and values.
        pub(crate) fn properties(&self) -> Vec<(&str, &str)> {
            let lists = self.all("properties");
            let each = lists.iter().flat_map(|list| &list.inside);
            each.map(|one| (one.attributes["name"].as_str(), one.attributes["value"].as_str())).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use junit_report::{Duration, OffsetDateTime, ReportBuilder, TestCaseBuilder, TestSuiteBuilder};
    use proptest::prelude::*;

    use super::element::Element;
    use super::*;
    use crate::report::xml_text::in_cdata;

    fn of(properties: &[(&str, &str)]) -> Additions {
        properties.iter().map(|(name, value)| Property::new(name, value)).collect::<Vec<_>>().into()
    }

    #[test]
    fn properties_stand_first_in_their_own_element_and_an_empty_one_is_opened_for_them() {
        let xml = r#"<testsuites><testsuite name="s"><testcase name="a"/><testcase name="b"><error type="t" message="m"/><system-out><![CDATA[o]]></system-out></testcase><testcase name="c"/></testsuite></testsuites>"#;
        let additions = [
            Additions::default(),
            of(&[("seed", "7")]),
            of(&[("a", "1")]),
            of(&[("b", "2"), ("b2", "<&\"'>")]),
            of(&[]),
        ];
        insta::assert_snapshot!(add(xml, &additions).unwrap());
    }

    #[test]
    fn attributes_are_set_in_their_place_left_out_and_otherwise_kept_as_they_were_written() {
        let set = Additions::default().set("name", "a \"b\"\u{1}").set("tests", &2).leave_out("timestamp");
        let xml = add(r#"<testsuites tests="1" timestamp="now" package="&lt;&amp;"/>"#, &[set]).unwrap();
        assert_eq!(xml, "<testsuites package=\"&lt;&amp;\" name=\"a &quot;b&quot;\" tests=\"2\"/>\n");
    }

    #[test]
    fn one_addition_too_many_or_too_few_is_an_error_and_never_a_property_in_the_wrong_place() {
        let xml = "<testsuites><testsuite/></testsuites>";
        for (number, expected) in
            [(1, "wrote 2 suites and cases where 1 were"), (3, "wrote 2 suites and cases where 3 were")]
        {
            let error = add(xml, &vec![Additions::default(); number]).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }

    #[test]
    fn what_is_not_well_formed_is_an_error() {
        for xml in
            ["<testsuites><testsuite></testsuites>", "<testsuites a='1' a='2'/>", "<testsuites a/>", "<testsuites"]
        {
            let error = add(xml, &[Additions::default(), Additions::default()]).unwrap_err();
            assert!(matches!(error, PropertiesError::Xml(_)), "{xml}: {error}");
        }
    }

    /// Texts that look like markup, and any others.
    fn text() -> impl Strategy<Value = String> {
        prop_oneof![
            Just("<testcase name=\"x\"/>".to_owned()),
            Just("</testcase>]]></testsuite>".to_owned()),
            Just("\u{1b}]]>\u{1b}[31m&lt;".to_owned()),
            any::<String>(),
            "[\\x00-\\x7f]{0,12}",
        ]
    }

    /// A reader makes a blank of every tab and line end in an attribute (XML 1.0, section 3.3.3).
    fn as_attribute(text: &str) -> String {
        held(text).replace("\r\n", " ").replace(['\t', '\n', '\r'], " ")
    }

    proptest! {
        #[test]
        fn whatever_the_texts_every_property_stands_in_its_own_case(
            suites in prop::collection::vec(prop::collection::vec((text(), text(), 0_usize..3), 0..4), 0..4),
        ) {
            let mut report = ReportBuilder::new();
            let mut additions = vec![Additions::default().set("name", "all")];
            for cases in &suites {
                let mut suite = TestSuiteBuilder::new("suite");
                suite.set_timestamp(OffsetDateTime::UNIX_EPOCH);
                additions.push(of(&[("cases", &cases.len().to_string())]));
                for (name, value, properties) in cases {
                    let mut case = TestCaseBuilder::success(&held(name), Duration::ZERO);
                    suite.add_testcase(case.set_system_out(&in_cdata(value)).build());
                    additions.push(of(&vec![(name.as_str(), value.as_str()); *properties]));
                }
                report.add_testsuite(suite.build());
            }
            let mut xml = Vec::new();
            report.build().write_xml(&mut xml).unwrap();
            let xml = add(&String::from_utf8(xml).unwrap(), &additions).unwrap();

            let root = Element::read(&xml);
            let read = root.all("testsuite");
            prop_assert_eq!(read.len(), suites.len());
            for (suite, cases) in read.iter().zip(&suites) {
                let number = cases.len().to_string();
                prop_assert_eq!(suite.properties(), [("cases", number.as_str())]);
                let read = suite.all("testcase");
                prop_assert_eq!(read.len(), cases.len());
                for (case, (name, value, properties)) in read.iter().zip(cases) {
                    let (name, as_value) = (as_attribute(name), as_attribute(value));
                    prop_assert_eq!(&case.attributes["name"], &name);
                    prop_assert_eq!(case.properties(), vec![(name.as_str(), as_value.as_str()); *properties]);
                    prop_assert_eq!(&case.all("system-out")[0].text, &held(value));
                }
            }
        }
    }
}
