//! A connection that carries messages of one kind each way, one JSON document a line.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, BufWriter};
use tokio::net::TcpStream;
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::Instant;

use super::SpreadError;

/// From one attempt to reach a hub to the next: it is coming up.
const AGAIN: Duration = Duration::from_millis(25);

/// One end of a connection.
///
/// What is sent is written in order. When `heard` ends the other side is gone, or said what is no message.
#[derive(Debug)]
pub struct Link<Out, In> {
    /// Where messages go. Dropped, the connection is closed when all of them are written.
    pub say: mpsc::UnboundedSender<Out>,
    /// Where messages come from.
    pub heard: mpsc::UnboundedReceiver<In>,
    /// The connection, both ways; it is closed when this is dropped.
    pub running: JoinSet<()>,
}

impl<Out: Serialize + 'static, In: DeserializeOwned + 'static> Link<Out, In> {
    /// Takes over a connection. To be called inside a `LocalSet`.
    #[must_use]
    pub fn over(stream: TcpStream) -> Self {
        // Refused only by a stream that is gone, which is seen when it is read.
        let _ = stream.set_nodelay(true);
        let (reading, writing) = stream.into_split();
        let (say, to_say) = mpsc::unbounded_channel();
        let (tell, heard) = mpsc::unbounded_channel();
        let mut running = JoinSet::new();
        running.spawn_local(read(reading, tell));
        running.spawn_local(write(writing, to_say));
        Self { say, heard, running }
    }
}

/// Connects to a hub that may still be coming up.
///
/// # Errors
/// When it cannot be reached in time.
pub async fn connect(hub: SocketAddr, within: Duration) -> Result<TcpStream, SpreadError> {
    let until = Instant::now() + within;
    let mut problem = io::Error::from(io::ErrorKind::TimedOut);
    while Instant::now() < until {
        match tokio::time::timeout_at(until, TcpStream::connect(hub)).await {
            Ok(Ok(stream)) => return Ok(stream),
            Ok(Err(refused)) => problem = refused,
            Err(_) => break,
        }
        tokio::time::sleep(AGAIN).await;
    }
    Err(SpreadError::NoHub { hub, seconds: within.as_secs(), problem })
}

async fn read<In: DeserializeOwned>(stream: OwnedReadHalf, tell: mpsc::UnboundedSender<In>) {
    let mut lines = BufReader::new(stream).lines();
    while let Ok(Some(line)) = lines.next_line().await {
        let Ok(message) = serde_json::from_str(&line) else { return };
        if tell.send(message).is_err() {
            return;
        }
    }
}

async fn write<Out: Serialize>(stream: OwnedWriteHalf, mut to_say: mpsc::UnboundedReceiver<Out>) {
    let mut stream = BufWriter::new(stream);
    while let Some(message) = to_say.recv().await {
        let Ok(mut line) = serde_json::to_vec(&message) else { return };
        line.push(b'\n');
        if stream.write_all(&line).await.is_err() {
            return;
        }
        if to_say.is_empty() && stream.flush().await.is_err() {
            return;
        }
    }
    let _ = stream.shutdown().await;
}

#[cfg(test)]
mod tests {
    use tokio::net::TcpListener;
    use tokio::task::LocalSet;

    use super::*;

    #[test]
    fn messages_arrive_in_order_and_the_end_is_heard_when_all_are_read() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        LocalSet::new().block_on(&runtime, async {
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            let at = listener.local_addr().unwrap();
            let (one, other) = tokio::join!(connect(at, Duration::from_secs(10)), listener.accept());
            let mut one: Link<u32, String> = Link::over(one.unwrap());
            let mut other: Link<String, u32> = Link::over(other.unwrap().0);
            for number in 0..1000 {
                one.say.send(number).unwrap();
            }
            other.say.send("a line\nof two".to_owned()).unwrap();
            assert_eq!(one.heard.recv().await.unwrap(), "a line\nof two");
            drop(one.say);
            let mut heard = Vec::new();
            while let Some(number) = other.heard.recv().await {
                heard.push(number);
            }
            assert_eq!(heard, (0..1000).collect::<Vec<_>>());
        });
    }

    #[test]
    fn what_is_no_message_ends_the_connection() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        LocalSet::new().block_on(&runtime, async {
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            let at = listener.local_addr().unwrap();
            let (one, other) = tokio::join!(connect(at, Duration::from_secs(10)), listener.accept());
            let mut one = one.unwrap();
            let mut other: Link<String, u32> = Link::over(other.unwrap().0);
            one.write_all(b"7\nseven\n8\n").await.unwrap();
            assert_eq!(other.heard.recv().await, Some(7));
            assert_eq!(other.heard.recv().await, None);
        });
    }
}
