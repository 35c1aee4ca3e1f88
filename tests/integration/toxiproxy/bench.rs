//! A Toxiproxy on a thread of its own, servers to be proxied, and clients.

use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use tokio::sync::oneshot;
use toxiproxy_rust::client::Client;
use toxiproxy_rust::proxy::{Proxy, ProxyPack};

/// Wall time after which a test gives up waiting.
pub(super) const PATIENCE: Duration = Duration::from_secs(20);

/// Wall time in which something that came at once would have come.
const MOMENT: Duration = Duration::from_millis(200);

/// A Toxiproxy that ends with it, on one thread as every node of muster is.
pub(super) struct Bench {
    pub(super) client: Client,
    api: SocketAddr,
    end: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Bench {
    pub(super) fn new() -> Self {
        let (bound, api) = channel();
        let (end, ended) = oneshot::channel::<()>();
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            tokio::task::LocalSet::new().block_on(&runtime, async {
                let server = muster::toxiproxy::bind("127.0.0.1:0".parse().unwrap(), 7).unwrap();
                bound.send(server.api).unwrap();
                tokio::select! {
                    () = server.serving => panic!("a server does not end by itself"),
                    _ = ended => {}
                }
            });
        });
        let api = api.recv_timeout(PATIENCE).unwrap();
        Self { client: Client::new(api), api, end: Some(end), thread: Some(thread) }
    }

    /// A proxy of a server, at a port that is free.
    pub(super) fn proxy(&self, name: &str, server: &Server) -> Proxy {
        let pack = ProxyPack::new(name.into(), "127.0.0.1:0".into(), server.address.clone());
        self.client.populate(vec![pack]).unwrap().remove(0)
    }

    /// A client's connection through a proxy.
    pub(super) fn connect(&self, name: &str) -> TcpStream {
        let stream = TcpStream::connect(self.client.find_proxy(name).unwrap().proxy_pack.listen).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    /// Asks the servers behind some proxies, all at once. Gives the proxies' names in the order of the answers.
    pub(super) fn order_of_answers(&self, names: &[&'static str]) -> Vec<&'static str> {
        let (answered, answers) = channel();
        let streams: Vec<_> = names.iter().map(|name| (*name, self.connect(name))).collect();
        for (name, mut stream) in streams {
            let answered = answered.clone();
            std::thread::spawn(move || {
                assert_eq!(said_once(&mut stream, b"a"), b"a");
                answered.send(name).unwrap();
            });
        }
        names.iter().map(|_| answers.recv_timeout(PATIENCE).unwrap()).collect()
    }
}

impl Drop for Bench {
    fn drop(&mut self) {
        drop(self.end.take());
        let ended = self.thread.take().map(JoinHandle::join);
        assert!(std::thread::panicking() || matches!(ended, Some(Ok(()))));
    }
}

/// A server to be proxied; it serves each connection on a thread.
pub(super) struct Server {
    pub(super) address: String,
    ends: Receiver<Option<ErrorKind>>,
    stuck: Receiver<()>,
}

impl Server {
    fn new(serve: impl Fn(TcpStream, &Sender<()>) -> std::io::Result<()> + Clone + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let (ended, ends) = channel();
        let (sticks, stuck) = channel();
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let (serve, ended, sticks) = (serve.clone(), ended.clone(), sticks.clone());
                // Whoever asks for the end may have gone.
                std::thread::spawn(move || ended.send(serve(stream, &sticks).err().map(|error| error.kind())));
            }
        });
        Self { address, ends, stuck }
    }

    /// Says what it hears.
    pub(super) fn echo() -> Self {
        Self::new(|mut stream, _| std::io::copy(&mut stream.try_clone()?, &mut stream).map(drop))
    }

    /// Says this and closes.
    pub(super) fn saying(text: &[u8]) -> Self {
        let text = text.to_vec();
        Self::new(move |mut stream, _| stream.write_all(&text))
    }

    /// Says this and waits for the client to close.
    pub(super) fn saying_and_staying(text: &[u8]) -> Self {
        let text = text.to_vec();
        Self::new(move |mut stream, _| {
            stream.write_all(&text)?;
            stream.read_to_end(&mut Vec::new()).map(drop)
        })
    }

    /// Says more than anybody takes.
    pub(super) fn flood() -> Self {
        Self::new(|mut stream, sticks| {
            let block = vec![7; 1024 * 1024];
            stream.set_write_timeout(Some(MOMENT))?;
            loop {
                match stream.write(&block) {
                    Err(error) if error.kind() == ErrorKind::WouldBlock => {
                        let _ = sticks.send(());
                    }
                    written => written.map(drop)?,
                }
            }
        })
    }

    /// Waits until a connection of the server has ended; gives the error it ended with.
    pub(super) fn end(&self) -> Option<ErrorKind> {
        self.ends.recv_timeout(PATIENCE).unwrap()
    }

    /// Waits until nobody takes what the server says.
    pub(super) fn stuck(&self) {
        while self.stuck.try_recv().is_ok() {}
        self.stuck.recv_timeout(PATIENCE).unwrap();
    }
}

/// Says something, and gives as many bytes of the answer.
pub(super) fn said_once(stream: &mut TcpStream, text: &[u8]) -> Vec<u8> {
    stream.write_all(text).unwrap();
    read(stream, text.len())
}

/// Reads so many bytes.
pub(super) fn read(stream: &mut TcpStream, count: usize) -> Vec<u8> {
    let mut bytes = vec![0; count];
    stream.read_exact(&mut bytes).unwrap();
    bytes
}

/// Reads to the end. A socket that is closed with bytes in it that nobody has read may end with a reset.
pub(super) fn rest(stream: &mut TcpStream) -> Vec<u8> {
    let mut bytes = Vec::new();
    match stream.read_to_end(&mut bytes) {
        Err(error) if error.kind() != ErrorKind::ConnectionReset => panic!("{error}"),
        Ok(_) | Err(_) => bytes,
    }
}

/// Whether nothing comes for a moment, neither bytes nor an end.
pub(super) fn is_silent(stream: &mut TcpStream) -> bool {
    stream.set_read_timeout(Some(MOMENT)).unwrap();
    let read = stream.read(&mut [0]);
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    matches!(read, Err(error) if error.kind() == ErrorKind::WouldBlock)
}

/// Whether neither bytes nor an end have come by now.
pub(super) fn is_open(stream: &TcpStream) -> bool {
    stream.set_nonblocking(true).unwrap();
    let peeked = stream.peek(&mut [0]);
    stream.set_nonblocking(false).unwrap();
    matches!(peeked, Err(error) if error.kind() == ErrorKind::WouldBlock)
}

/// Asks the API by hand. Gives the status code and the body.
pub(super) fn ask(bench: &Bench, method: &str, path: &str, body: &str) -> (u16, String) {
    ask_as(bench, "toxiproxy-cli/v2.12.0", method, path, body)
}

/// The same, as this user agent.
pub(super) fn ask_as(bench: &Bench, agent: &str, method: &str, path: &str, body: &str) -> (u16, String) {
    let mut stream = TcpStream::connect(bench.api).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let length = body.len();
    let headers = format!("host: x\r\nuser-agent: {agent}\r\nconnection: close\r\ncontent-length: {length}");
    write!(stream, "{method} {path} HTTP/1.1\r\n{headers}\r\n\r\n{body}").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    (head.split(' ').nth(1).unwrap().parse().unwrap(), body.to_owned())
}
