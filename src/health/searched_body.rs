//! The part of a response's body that a string-matching check looks at (R53-113, R53-114).
//!
//! It takes the body as it comes off the wire, in pieces of any size, and undoes gzip and deflate. It knows no limit
//! of time and reads nothing itself.

use std::io::Read;

use flate2::read::{DeflateDecoder, MultiGzDecoder, ZlibDecoder};

/// The string must lie whole within so many bytes of the body, counted after gzip or deflate is undone (R53-113).
pub const SEARCHED_BYTES: usize = 5_120;
/// Of a compressed body no more is taken from the wire than this. Route 53 publishes no such limit; what has not given
/// 5,120 bytes by then is mostly padding, and would otherwise be held without end.
const MOST_COMPRESSED: usize = 64 * 1024;

/// How a body is encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Encoding {
    Gzip,
    Deflate,
    /// Not at all, or in a way that is not undone: then it is searched as it is, and nearly always fails (R53-114).
    AsItIs,
}

/// The beginning of a body, as far as it has come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchedBody {
    encoding: Encoding,
    wire: Vec<u8>,
}

impl SearchedBody {
    /// The body of a response with this `Content-Encoding`.
    #[must_use]
    pub fn new(content_encoding: Option<&str>) -> Self {
        let named = content_encoding.map(|named| named.trim().to_ascii_lowercase());
        let encoding = match named.as_deref() {
            // RFC 9110, section 8.4.1.3: both names are one.
            Some("gzip" | "x-gzip") => Encoding::Gzip,
            Some("deflate") => Encoding::Deflate,
            _ => Encoding::AsItIs,
        };
        Self { encoding, wire: Vec::new() }
    }

    /// More of the body has come. What would not be looked at is not kept.
    pub fn push(&mut self, piece: &[u8]) {
        let room = self.most_wire().saturating_sub(self.wire.len());
        self.wire.extend(piece.iter().take(room));
    }

    /// Whether nothing that may still come would be looked at.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.wire.len() >= self.most_wire()
            || (self.encoding != Encoding::AsItIs && self.decoded().len() >= SEARCHED_BYTES)
    }

    /// Whether the whole of `string` lies within the first 5,120 bytes, letter for letter (R53-113, R53-114).
    #[must_use]
    pub fn contains(&self, string: &str) -> bool {
        let string = string.as_bytes();
        string.is_empty() || self.decoded().windows(string.len()).any(|window| window == string)
    }

    const fn most_wire(&self) -> usize {
        match self.encoding {
            Encoding::AsItIs => SEARCHED_BYTES,
            Encoding::Gzip | Encoding::Deflate => MOST_COMPRESSED,
        }
    }

    /// At most the first 5,120 bytes, however many the body would decode to. What is broken or cut off ends where it
    /// could not be decoded further.
    fn decoded(&self) -> Vec<u8> {
        let wire = self.wire.as_slice();
        match self.encoding {
            Encoding::AsItIs => wire.to_vec(),
            Encoding::Gzip => beginning(MultiGzDecoder::new(wire)),
            // RFC 9110, section 8.4.1.2: deflate is wrapped as zlib, and some servers leave the wrapping out.
            Encoding::Deflate if is_zlib(wire) => beginning(ZlibDecoder::new(wire)),
            Encoding::Deflate => beginning(DeflateDecoder::new(wire)),
        }
    }
}

fn beginning(decoder: impl Read) -> Vec<u8> {
    let mut decoded = Vec::new();
    // What was decoded before an error is there all the same, and is what there is to search.
    let _ = decoder.take(SEARCHED_BYTES as u64).read_to_end(&mut decoded);
    decoded
}

/// RFC 1950, section 2.2: method 8, a window of at most 32 KiB, and the two bytes as a number a multiple of 31.
fn is_zlib(wire: &[u8]) -> bool {
    let &[method, flags, ..] = wire else { return false };
    method & 0x0f == 8 && method >> 4 <= 7 && u16::from_be_bytes([method, flags]).is_multiple_of(31)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};
    use proptest::prelude::*;

    use super::*;

    const STRING: &str = "\"status\":\"pass\"";

    fn gzip(body: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(body).unwrap();
        encoder.finish().unwrap()
    }

    fn zlib(body: &[u8]) -> Vec<u8> {
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(body).unwrap();
        encoder.finish().unwrap()
    }

    fn raw_deflate(body: &[u8]) -> Vec<u8> {
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(body).unwrap();
        encoder.finish().unwrap()
    }

    fn searched(encoding: Option<&str>, wire: &[u8]) -> SearchedBody {
        let mut body = SearchedBody::new(encoding);
        body.push(wire);
        body
    }

    /// The string after `before` bytes of something else, and more behind it.
    fn page(before: usize) -> Vec<u8> {
        let mut page = vec![b'.'; before];
        page.extend(STRING.as_bytes());
        page.extend([b'.'; 9_000]);
        page
    }

    /// The same page in every way that it can be sent.
    fn ways(page: &[u8]) -> [(Option<&'static str>, Vec<u8>); 5] {
        [
            (None, page.to_vec()),
            (Some("gzip"), gzip(page)),
            (Some("X-GZIP"), gzip(page)),
            (Some("deflate"), zlib(page)),
            (Some("deflate"), raw_deflate(page)),
        ]
    }

    #[test]
    fn r53_113_the_whole_string_lies_within_the_first_5120_bytes() {
        let last = SEARCHED_BYTES - STRING.len();
        for (before, found) in [(0, true), (last, true), (last + 1, false), (SEARCHED_BYTES, false)] {
            for (encoding, wire) in ways(&page(before)) {
                assert_eq!(searched(encoding, &wire).contains(STRING), found, "{before} before, {encoding:?}");
            }
        }
    }

    #[test]
    fn r53_114_a_letter_of_the_other_case_is_another_letter() {
        let body = searched(None, b"status: PASS");
        assert!(body.contains("PASS") && !body.contains("pass"));
    }

    #[test]
    fn r53_114_what_is_encoded_in_another_way_is_searched_as_it_is() {
        for other in ["br", "zstd", "gzip, gzip"] {
            assert!(!searched(Some(other), &gzip(&page(0))).contains(STRING), "{other}");
            assert!(searched(Some(other), &page(0)).contains(STRING), "{other}");
        }
        assert!(!searched(Some("gzip"), &page(0)).contains(STRING), "it says gzip, and is not");
    }

    #[test]
    fn r53_113_a_body_is_full_with_its_5120th_byte_and_keeps_no_more() {
        let mut body = searched(None, &[b'.'; SEARCHED_BYTES - 1]);
        assert!(!body.is_full());
        body.push(STRING.as_bytes());
        assert!(body.is_full());
        assert_eq!(body.wire.len(), SEARCHED_BYTES);
    }

    #[test]
    fn r53_114_a_bomb_gives_5120_bytes_and_no_more() {
        let bomb = vec![0; 64 << 20];
        for (encoding, wire) in ways(&bomb).into_iter().skip(1) {
            let body = searched(encoding, &wire);
            assert!(body.is_full());
            assert_eq!(body.decoded().len(), SEARCHED_BYTES);
            assert!(body.wire.len() <= MOST_COMPRESSED);
        }
    }

    #[test]
    fn r53_114_compressed_nothing_without_end_is_held_to_a_bound() {
        let nothing = gzip(b"");
        let body = searched(Some("gzip"), &nothing.repeat(2 * MOST_COMPRESSED / nothing.len()));
        assert!(body.is_full());
        assert_eq!((body.wire.len(), body.decoded().len()), (MOST_COMPRESSED, 0));
    }

    #[test]
    fn r53_114_what_was_decoded_before_the_body_broke_is_searched() {
        for (encoding, wire) in ways(&page(100)).into_iter().skip(1) {
            let cut = &wire[..wire.len() - 4];
            assert!(searched(encoding, cut).contains(STRING), "{encoding:?}");
        }
    }

    proptest! {
        #[test]
        fn r53_114_every_body_is_searched_alike_however_it_is_encoded_and_cut_into_pieces(
            page in proptest::collection::vec(any::<u8>(), 0..7_000),
            at in 0_usize..7_000,
            piece in 1_usize..3_000,
        ) {
            // Printable, so that a string can be cut out of it.
            let page: Vec<u8> = page.into_iter().map(|byte| b'a' + byte % 26).collect();
            let end = (at + 20).min(page.len());
            let string = std::str::from_utf8(&page[at.min(end)..end]).unwrap();
            let expected = page[..page.len().min(SEARCHED_BYTES)].windows(string.len().max(1))
                .any(|window| window == string.as_bytes()) || string.is_empty();
            for (encoding, wire) in ways(&page) {
                let mut body = SearchedBody::new(encoding);
                for piece in wire.chunks(piece) {
                    body.push(piece);
                }
                prop_assert_eq!(body.contains(string), expected);
                prop_assert_eq!(&body.decoded(), &page[..page.len().min(SEARCHED_BYTES)]);
            }
        }

        #[test]
        fn any_bytes_can_be_searched(wire: Vec<u8>, encoding in proptest::option::of("gzip|deflate|br|[a-z, ]*")) {
            let body = searched(encoding.as_deref(), &wire);
            prop_assert!(body.decoded().len() <= SEARCHED_BYTES);
        }
    }
}
