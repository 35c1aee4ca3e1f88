//! The members that have come to a hub.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use super::link::Link;
use super::message::{FromMember, ToMember, Welcome};
use super::relay::ACCEPTS_AGAIN;
use crate::lab::Share;

/// What comes from a member.
#[derive(Debug)]
pub(super) enum News {
    /// It said this.
    Said(FromMember),
    /// Its connection has ended.
    Gone,
}

type Lines = Rc<RefCell<BTreeMap<Share, mpsc::UnboundedSender<ToMember>>>>;

/// The members that have come, and may come yet.
#[derive(Debug)]
pub(super) struct Members {
    /// Where each is reached.
    pub(super) lines: Lines,
    /// What comes from them, each in order.
    pub(super) news: mpsc::UnboundedReceiver<(Share, News)>,
    _door: JoinSet<()>,
}

impl Members {
    /// Welcomes whoever comes, as often as it comes. Everything ends when this is dropped.
    pub(super) fn gather(door: TcpListener, welcome: Welcome) -> Self {
        let (tell, news) = mpsc::unbounded_channel();
        let lines = Lines::default();
        let mut accepting = JoinSet::new();
        accepting.spawn_local(accept(door, welcome, Rc::clone(&lines), tell));
        Self { lines, news, _door: accepting }
    }
}

async fn accept(door: TcpListener, welcome: Welcome, lines: Lines, tell: mpsc::UnboundedSender<(Share, News)>) {
    let mut members = JoinSet::new();
    loop {
        let Ok((stream, _)) = door.accept().await else {
            tokio::time::sleep(ACCEPTS_AGAIN).await;
            continue;
        };
        while members.try_join_next().is_some() {}
        members.spawn_local(host(stream, welcome.clone(), Rc::clone(&lines), tell.clone()));
    }
}

async fn host(stream: TcpStream, welcome: Welcome, lines: Lines, tell: mpsc::UnboundedSender<(Share, News)>) {
    let link: Link<ToMember, FromMember> = Link::over(stream);
    let Link { say, mut heard, running: _running } = link;
    let Some(FromMember::Hello(share)) = heard.recv().await else { return };
    let _ = say.send(ToMember::Welcome(Box::new(welcome)));
    lines.borrow_mut().insert(share.clone(), say.clone());
    while let Some(message) = heard.recv().await {
        let _ = tell.send((share.clone(), News::Said(message)));
    }
    // One that was started again may have come before the end of the old one was seen.
    lines.borrow_mut().retain(|_, line| !line.same_channel(&say));
    let _ = tell.send((share, News::Gone));
}
