//! The build context: an image's files as a tar.

use std::io;

use tar::{Builder, Header};

/// The files as a tar. The same files give the same bytes: there is no time and no owner in them.
///
/// # Errors
/// When a name does not fit into a tar.
pub(super) fn tar(files: &[(&str, &str)]) -> io::Result<Vec<u8>> {
    let mut tar = Builder::new(Vec::new());
    for (name, content) in files {
        let mut header = Header::new_gnu();
        header.set_mode(0o644);
        header.set_size(content.len() as u64);
        tar.append_data(&mut header, name, content.as_bytes())?;
    }
    tar.into_inner()
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    #[test]
    fn a_context_holds_each_file_as_it_is() {
        let files = [("Dockerfile", "FROM a\n"), ("entry.sh", "exec b\n")];
        let bytes = tar(&files).unwrap();
        let mut archive = tar::Archive::new(bytes.as_slice());
        let read: Vec<(String, String, u32)> = archive
            .entries()
            .unwrap()
            .map(|entry| {
                let mut entry = entry.unwrap();
                let mut content = String::new();
                entry.read_to_string(&mut content).unwrap();
                (entry.path().unwrap().display().to_string(), content, entry.header().mode().unwrap())
            })
            .collect();
        assert_eq!(read, files.map(|(name, content)| (name.to_owned(), content.to_owned(), 0o644)).to_vec());
        assert_eq!(bytes, tar(&files).unwrap());
    }
}
