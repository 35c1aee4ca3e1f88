//! The image of muster itself: the very program that runs, with the libraries that it is linked to, and nothing else.
//!
//! A program that is linked statically stands in it alone. One that is not needs its loader and its libraries, which
//! the kernel names: they are mapped into this process.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::engine::tag;
use super::{Engine, ImagesError, MadeFrom};

/// Its name: `muster/muster` is its repository.
pub const NAME: &str = "muster";

/// Where the program stands in it.
const PROGRAM: &str = "/muster";

/// What goes into the image.
#[derive(Debug)]
struct Content {
    program: Vec<u8>,
    /// By the paths at which they are mapped.
    libraries: Vec<(PathBuf, Vec<u8>)>,
}

/// Has the engine have the image of this program; its tag. Nothing is done when it has it.
///
/// # Errors
/// When the program cannot be read, or the engine refuses.
pub async fn own_image(engine: &Engine) -> Result<String, ImagesError> {
    let content = Content::of_this_process()?;
    let made_from = content.made_from();
    let tag = tag(NAME, &made_from);
    if engine.id_of(&tag).await?.is_none() {
        engine.import_program(content.tar()?, NAME, &made_from, &content.entry_point()).await?;
    }
    Ok(tag)
}

impl Content {
    fn of_this_process() -> io::Result<Self> {
        // The link leads to the program even when its file was replaced or removed meanwhile.
        let program = fs::read("/proc/self/exe")?;
        let own = fs::read_link("/proc/self/exe")?;
        let libraries = mapped(&fs::read_to_string("/proc/self/maps")?, &own);
        let libraries = libraries.into_iter().map(|path| fs::read(&path).map(|bytes| (path, bytes)));
        Ok(Self { program, libraries: libraries.collect::<io::Result<_>>()? })
    }

    fn made_from(&self) -> MadeFrom {
        let mut digest = Sha256::new();
        digest.update(&self.program);
        for (path, bytes) in &self.libraries {
            digest.update(path.as_os_str().as_encoded_bytes());
            digest.update(bytes);
        }
        MadeFrom::of_id(&format!("{:?}", digest.finalize()))
    }

    fn entry_point(&self) -> Vec<String> {
        let mut command = Vec::new();
        if let Some((loader, _)) = self.libraries.iter().find(|(path, _)| is_loader(path)) {
            let folders: BTreeSet<_> = self.libraries.iter().filter_map(|(path, _)| path.parent()).collect();
            let folders: Vec<_> = folders.iter().map(|folder| folder.to_string_lossy()).collect();
            command.extend([loader.to_string_lossy().into_owned(), "--library-path".to_owned(), folders.join(":")]);
        }
        command.push(PROGRAM.to_owned());
        command
    }

    fn tar(&self) -> io::Result<Vec<u8>> {
        let mut tar = tar::Builder::new(Vec::new());
        let program = [(Path::new(PROGRAM), &self.program)];
        let libraries = self.libraries.iter().map(|(path, bytes)| (path.as_path(), bytes));
        for (path, bytes) in program.into_iter().chain(libraries) {
            let mut header = tar::Header::new_gnu();
            header.set_size(bytes.len() as u64);
            header.set_mode(0o755);
            let inside = path.strip_prefix("/").unwrap_or(path);
            tar.append_data(&mut header, inside, bytes.as_slice())?;
        }
        tar.into_inner()
    }
}

/// The files besides the program that are mapped into a process, out of its `maps` (`proc(5)`).
fn mapped(maps: &str, program: &Path) -> Vec<PathBuf> {
    let paths = maps.lines().filter_map(|line| line.split_once('/').map(|(_, path)| PathBuf::from(format!("/{path}"))));
    let is_library =
        |path: &PathBuf| path != program && path.file_name().is_some_and(|name| is_shared(&name.to_string_lossy()));
    paths.filter(is_library).collect::<BTreeSet<_>>().into_iter().collect()
}

/// `libc.so`, `libc.so.6`.
fn is_shared(name: &str) -> bool {
    name.split('.').skip(1).any(|part| part == "so")
}

fn is_loader(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("ld-"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAPS: &str = "\
560000000000-560000001000 r--p 00000000 fe:00 1   /opt/muster
7f0000000000-7f0000001000 r-xp 00000000 fe:00 2   /usr/lib/x86_64-linux-gnu/libc.so.6
7f0000001000-7f0000002000 r--p 00001000 fe:00 2   /usr/lib/x86_64-linux-gnu/libc.so.6
7f0000002000-7f0000003000 rw-p 00000000 00:00 0
7f0000003000-7f0000004000 r--p 00000000 fe:00 4   /usr/share/zoneinfo/UTC
7f0000004000-7f0000005000 r-xp 00000000 fe:00 3   /usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2
7ffc00000000-7ffc00001000 rw-p 00000000 00:00 0   [stack]
";

    fn content(libraries: &[&str]) -> Content {
        let libraries = libraries.iter().map(|path| (PathBuf::from(path), vec![1])).collect();
        Content { program: vec![7, 7], libraries }
    }

    #[test]
    fn the_libraries_of_a_process_are_those_mapped_into_it_each_once() {
        let found = mapped(MAPS, Path::new("/opt/muster"));
        let expected = ["/usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2", "/usr/lib/x86_64-linux-gnu/libc.so.6"]
            .map(PathBuf::from);
        assert_eq!(found, expected);
    }

    #[test]
    fn a_static_program_is_run_by_itself_and_another_by_its_loader() {
        assert_eq!(content(&[]).entry_point(), ["/muster"]);
        let linked = content(&["/lib64/ld-linux-x86-64.so.2", "/usr/lib/libc.so.6"]);
        let expected = ["/lib64/ld-linux-x86-64.so.2", "--library-path", "/lib64:/usr/lib", "/muster"];
        assert_eq!(linked.entry_point(), expected);
    }

    #[test]
    fn another_program_or_another_library_is_another_image() {
        let one = content(&["/usr/lib/libc.so.6"]);
        let other_program = Content { program: vec![8], libraries: one.libraries.clone() };
        assert_ne!(one.made_from(), other_program.made_from());
        assert_ne!(one.made_from(), content(&["/usr/lib/libm.so.6"]).made_from());
        assert_eq!(one.made_from(), content(&["/usr/lib/libc.so.6"]).made_from());
    }

    #[test]
    fn the_tar_holds_everything_at_its_path_and_may_be_run() {
        let bytes = content(&["/usr/lib/libc.so.6"]).tar().unwrap();
        let mut tar = tar::Archive::new(bytes.as_slice());
        let held: Vec<_> = tar
            .entries()
            .unwrap()
            .map(|entry| entry.unwrap())
            .map(|entry| (entry.path().unwrap().into_owned(), entry.header().mode().unwrap()))
            .collect();
        assert_eq!(held, [("muster".into(), 0o755), ("usr/lib/libc.so.6".into(), 0o755)]);
    }
}
