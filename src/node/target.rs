//! An application target: it needs its database for everything it answers, and its health endpoint says so.
//!
//! It knows the database by address and user only, and nothing of the load balancer in front of it.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::IntoResponse;
use axum::routing::get;
use axum::{Json, Router};
use serde_json::json;
use tokio_postgres::{Config, NoTls};

use crate::ground::{Ground, LabClock};

use super::CELL_HEADER;
use super::connections::connect;

/// The database that an application needs.
#[derive(Clone, Debug)]
pub struct DatabaseLink {
    /// Where it is reached.
    pub ground: Ground,
    /// Its socket address on this machine.
    pub at: SocketAddr,
    /// The address of this machine that connections come from; the kernel's choice when missing.
    pub from: Option<IpAddr>,
    /// Logs in without a password.
    pub user: String,
    /// No answer within this (lab time) counts as no database.
    pub patience: Duration,
}

impl DatabaseLink {
    /// Connects, logs in and asks `SELECT 1`.
    ///
    /// # Errors
    /// What was seen instead of a 1, for people.
    pub async fn ask(&self, clock: &LabClock) -> Result<(), String> {
        clock.within(self.patience, self.select_one()).await.map_err(|late| late.to_string())?
    }

    async fn select_one(&self) -> Result<(), String> {
        if let Some(network) = self.ground.simulated() {
            // On a ground without sockets nobody speaks PostgreSQL: a database that is there gives its 1.
            let connection = network.connect(self.at).map_err(|error| format!("connect: {error}"))?;
            return connection.greeted().await.map_err(|error| format!("login: {error}"));
        }
        let stream = connect(self.from, self.at).await.map_err(|error| format!("connect: {error}"))?;
        let mut login = Config::new();
        login.user(&self.user).dbname(&self.user);
        let (client, connection) =
            login.connect_raw(stream, NoTls).await.map_err(|error| with_cause("login", &error))?;
        let ask = async move {
            let row = client.query_one("SELECT 1", &[]).await.map_err(|error| with_cause("query", &error))?;
            row.try_get::<_, i32>(0).map_err(|error| with_cause("answer", &error))
        };
        // When the question is answered the client is dropped, and its connection says goodbye and ends.
        match futures_util::future::join(ask, connection).await.0? {
            1 => Ok(()),
            other => Err(format!("SELECT 1 gave {other}")),
        }
    }
}

fn with_cause(step: &str, error: &tokio_postgres::Error) -> String {
    use std::error::Error as _;
    error.source().map_or_else(|| format!("{step}: {error}"), |cause| format!("{step}: {error}: {cause}"))
}

/// What an application target is told at its start.
#[derive(Clone, Debug)]
pub struct Target {
    /// The cell that it belongs to.
    pub cell: String,
    /// Which of the cell's targets it is, from 0.
    pub index: usize,
    /// What it needs.
    pub database: DatabaseLink,
    /// Lab time.
    pub clock: LabClock,
}

/// The target's answers: its health at `health_path`, its business at every other path.
pub fn router(target: Target, health_path: &str) -> Router {
    Router::new().route(health_path, get(health)).fallback(business).with_state(Arc::new(target))
}

async fn health(State(target): State<Arc<Target>>) -> impl IntoResponse {
    match target.database.ask(&target.clock).await {
        Ok(()) => (StatusCode::OK, Json(json!({"status": "ok", "db": "ok"}))),
        Err(why) => (StatusCode::SERVICE_UNAVAILABLE, Json(json!({"status": "fail", "db": why}))),
    }
}

async fn business(State(target): State<Arc<Target>>) -> impl IntoResponse {
    let (status, body) = match target.database.ask(&target.clock).await {
        Ok(()) => (StatusCode::OK, json!({"cell": target.cell, "target": target.index})),
        Err(why) => (StatusCode::SERVICE_UNAVAILABLE, json!({"cell": target.cell, "target": target.index, "db": why})),
    };
    (status, [(CELL_HEADER, target.cell.clone())], Json(body))
}
