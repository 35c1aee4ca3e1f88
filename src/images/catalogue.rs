//! Every image that muster can build, with the files it is built from: they are part of the program.

/// An image that muster can build.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Image {
    /// Its name: `muster/<name>` is its repository, `docker/<name>` its folder.
    pub name: &'static str,
    /// What it is, in a few words.
    pub what: &'static str,
    /// How it comes to be.
    pub recipe: Recipe,
    /// Its files, each with its name and its content.
    pub files: &'static [(&'static str, &'static str)],
}

/// How an image comes to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recipe {
    /// Its script writes the root file system, which is imported.
    Import,
    /// Its Dockerfile is built on another image of the catalogue, given to it as the build argument of this name.
    Dockerfile {
        /// The name of the image that it is built on.
        on: &'static str,
        /// The build argument that names that image.
        argument: &'static str,
    },
}

const ON_DEBIAN: Recipe = Recipe::Dockerfile { on: "debian", argument: "DEBIAN" };
const ON_BASE: Recipe = Recipe::Dockerfile { on: "base", argument: "BASE" };

macro_rules! image {
    ($name:literal, $what:literal, $recipe:expr, [$($file:literal),+]) => {
        Image {
            name: $name,
            what: $what,
            recipe: $recipe,
            files: &[$(($file, include_str!(concat!("../../docker/", $name, "/", $file)))),+],
        }
    };
}

/// Every image, each after the one that it is built on.
pub const CATALOGUE: &[Image] = &[
    image!(
        "debian",
        "Debian bookworm, where the engine has no debian:bookworm-slim",
        Recipe::Import,
        ["mmdebstrap.sh"]
    ),
    image!("base", "what the others stand on", ON_DEBIAN, ["Dockerfile", "install.sh", "settings.sh"]),
    image!("unbound", "a resolver", ON_BASE, ["Dockerfile", "entry.sh", "unbound.conf.in"]),
    image!("bind", "a resolver", ON_BASE, ["Dockerfile", "entry.sh", "named.conf.in"]),
    image!("pdns-recursor", "a resolver", ON_BASE, ["Dockerfile", "entry.sh", "recursor.conf.in"]),
    image!("knot-resolver", "a resolver", ON_BASE, ["Dockerfile", "entry.sh", "kresd.conf.in"]),
    image!("dnsmasq", "a stub resolver with a cache", ON_BASE, ["Dockerfile", "entry.sh", "dnsmasq.conf.in"]),
    image!("postgres", "the database that dies", ON_BASE, ["Dockerfile", "lab.conf"]),
    image!("haproxy", "a load balancer with health checks", ON_BASE, ["Dockerfile", "entry.sh", "haproxy.cfg.in"]),
    image!("client-curl", "a client: curl in a loop", ON_BASE, ["Dockerfile", "entry.sh"]),
    image!("client-go", "a client: Go's net/http", ON_BASE, ["Dockerfile", "main.go"]),
    image!("client-grpc", "a client: gRPC in Go", ON_BASE, ["Dockerfile", "main.go"]),
    image!("client-jvm", "a client: the JVM", ON_BASE, ["Dockerfile", "entry.sh", "Client.java"]),
    image!("client-nginx", "a client: curl behind nginx", ON_BASE, ["Dockerfile", "entry.sh", "nginx.conf.in"]),
    image!("client-node", "a client: Node", ON_BASE, ["Dockerfile", "entry.sh", "client.mjs"]),
    image!(
        "client-python",
        "a client: httpx or urllib3",
        ON_BASE,
        ["Dockerfile", "entry.sh", "client.py", "recycling.py"]
    ),
];

impl Image {
    /// The image of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Self> {
        CATALOGUE.iter().find(|image| image.name == name)
    }

    /// The image that this one is built on; `None` of the first.
    #[must_use]
    pub fn on(&self) -> Option<&'static Self> {
        match self.recipe {
            Recipe::Import => None,
            Recipe::Dockerfile { on, .. } => Self::named(on),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use super::*;

    #[test]
    fn every_file_of_the_folder_is_part_of_the_program() {
        let docker = Path::new(env!("CARGO_MANIFEST_DIR")).join("docker");
        let mut there = BTreeSet::new();
        for folder in std::fs::read_dir(docker).unwrap().map(|entry| entry.unwrap().path()) {
            for file in std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()) {
                let folder = folder.file_name().unwrap().to_string_lossy();
                there.insert(format!("{folder}/{}", file.to_string_lossy()));
            }
        }
        let named: BTreeSet<String> = CATALOGUE
            .iter()
            .flat_map(|image| image.files.iter().map(|(file, _)| format!("{}/{file}", image.name)))
            .collect();
        assert_eq!(named, there);
    }

    #[test]
    fn every_image_comes_after_the_one_it_is_built_on() {
        for (place, image) in CATALOGUE.iter().enumerate() {
            if let Recipe::Dockerfile { on, argument } = image.recipe {
                assert!(CATALOGUE[..place].iter().any(|earlier| earlier.name == on), "{}", image.name);
                let dockerfile = image.files.iter().find(|(file, _)| *file == "Dockerfile").unwrap().1;
                assert!(dockerfile.contains(&format!("\nFROM ${{{argument}}}")), "{}", image.name);
            }
        }
    }

    #[test]
    fn every_setting_that_an_entry_script_reads_is_named_in_its_dockerfile() {
        for image in CATALOGUE {
            let Some((_, dockerfile)) = image.files.iter().find(|(file, _)| *file == "Dockerfile") else { continue };
            let (_, entry) = image.files.iter().find(|(file, _)| *file == "entry.sh").unwrap_or(&("", ""));
            for setting in entry.lines().filter_map(|line| line.strip_prefix("setting ")) {
                let name = setting.split(' ').next().unwrap();
                assert!(dockerfile.contains(name), "{}: {name}", image.name);
            }
        }
    }
}
