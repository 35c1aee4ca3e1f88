//! The control plane's HTTP door, on a socket of the file system, so that it is reached from outside a lab's network.
//!
//! `GET /routing-controls`; `GET` and `PUT /routing-controls/<name>` with `{"on": false}`; `GET` and
//! `PUT /health-checks/<id>` with `{"inverted": true}`. 404: no such switch; 409: the safety rule forbids it.

use std::io;
use std::path::Path;

use axum::extract::{Path as Named, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use hyper::server::conn::http1;
use hyper_util::rt::TokioIo;
use hyper_util::service::TowerToHyperService;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::net::UnixListener;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinSet;

use crate::health::RoutingControlError;
use crate::zone::HealthCheckId;

use super::{ControlError, ControlPlane};

/// What the door has the switches do. The switches live on the lab's thread and are not shared with handlers.
enum Order {
    List,
    Read(String),
    Turn(String, bool),
    ReadCheck(String),
    Invert(String, bool),
}

type Reply = Result<Value, ControlError>;
type Orders = mpsc::UnboundedSender<(Order, oneshot::Sender<Reply>)>;

/// Serves `control` at `socket`, a path that nothing has yet; it is bound when this returns. Ends when what is returned
/// is dropped; the file stays. To be called inside a `LocalSet`.
///
/// # Errors
/// When it cannot be bound.
pub fn serve(control: &ControlPlane, socket: &Path) -> io::Result<JoinSet<()>> {
    let listener = UnixListener::bind(socket)?;
    let (orders, carried_out) = mpsc::unbounded_channel();
    let mut running = JoinSet::new();
    running.spawn_local(carry_out(control.clone(), carried_out));
    running.spawn_local(answer(listener, router(orders)));
    Ok(running)
}

async fn carry_out(control: ControlPlane, mut orders: mpsc::UnboundedReceiver<(Order, oneshot::Sender<Reply>)>) {
    while let Some((order, reply)) = orders.recv().await {
        // Who asked may be gone; what was ordered is done all the same.
        let _ = reply.send(control.obey(order));
    }
}

async fn answer(listener: UnixListener, router: Router) {
    let mut open = FuturesUnordered::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => {
                    let service = TowerToHyperService::new(router.clone());
                    open.push(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
                }
                // Out of descriptors: an end of a connection frees one.
                Err(_) => if open.next().await.is_none() { tokio::task::yield_now().await },
            },
            Some(_) = open.next() => {}
        }
    }
}

impl ControlPlane {
    fn obey(&self, order: Order) -> Reply {
        match order {
            Order::List => Ok(json!({ "controls": self.routing_controls() })),
            Order::Read(name) => self.tell(&name),
            Order::Turn(name, on) => self.turn(&name, on).and_then(|()| self.tell(&name)),
            Order::ReadCheck(id) => self.tell_check(&HealthCheckId(id)),
            Order::Invert(id, inverted) => {
                let id = HealthCheckId(id);
                self.invert(&id, inverted)?;
                self.tell_check(&id)
            }
        }
    }

    fn tell(&self, name: &str) -> Reply {
        match self.is_on(name) {
            Some(on) => Ok(json!({ "control": name, "on": on })),
            None => Err(self.0.borrow().no_control(name)),
        }
    }

    fn tell_check(&self, id: &HealthCheckId) -> Reply {
        match self.is_inverted(id) {
            Some(inverted) => Ok(json!({ "health-check": id.0, "disabled": true, "inverted": inverted })),
            None => Err(self.0.borrow().no_drain_check(id)),
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Turn {
    on: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Inversion {
    inverted: bool,
}

fn router(orders: Orders) -> Router {
    Router::new()
        .route("/routing-controls", get(list))
        .route("/routing-controls/{name}", get(read).put(turn))
        .route("/health-checks/{id}", get(read_check).put(invert))
        .with_state(orders)
}

async fn list(State(orders): State<Orders>) -> Response {
    order(&orders, Order::List).await
}

async fn read(State(orders): State<Orders>, Named(name): Named<String>) -> Response {
    order(&orders, Order::Read(name)).await
}

async fn turn(State(orders): State<Orders>, Named(name): Named<String>, Json(Turn { on }): Json<Turn>) -> Response {
    order(&orders, Order::Turn(name, on)).await
}

async fn read_check(State(orders): State<Orders>, Named(id): Named<String>) -> Response {
    order(&orders, Order::ReadCheck(id)).await
}

async fn invert(
    State(orders): State<Orders>,
    Named(id): Named<String>,
    Json(Inversion { inverted }): Json<Inversion>,
) -> Response {
    order(&orders, Order::Invert(id, inverted)).await
}

async fn order(orders: &Orders, order: Order) -> Response {
    let (reply, replied) = oneshot::channel();
    if orders.send((order, reply)).is_err() {
        return StatusCode::SERVICE_UNAVAILABLE.into_response();
    }
    match replied.await {
        Ok(Ok(told)) => Json(told).into_response(),
        Ok(Err(refused)) => (status(&refused), Json(json!({ "error": refused.to_string() }))).into_response(),
        Err(_) => StatusCode::SERVICE_UNAVAILABLE.into_response(),
    }
}

const fn status(refused: &ControlError) -> StatusCode {
    match refused {
        ControlError::Control(RoutingControlError::SafetyRule { .. }) => StatusCode::CONFLICT,
        ControlError::Control(RoutingControlError::Unknown { .. }) | ControlError::NoDrainCheck { .. } => {
            StatusCode::NOT_FOUND
        }
    }
}
