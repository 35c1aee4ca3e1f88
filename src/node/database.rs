//! A database that speaks the Postgres wire protocol and knows a handful of statements: enough for anybody's health
//! check. It holds no data.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use async_trait::async_trait;
use futures_util::{FutureExt, stream};
use pgwire::api::auth::StartupHandler;
use pgwire::api::auth::noop::NoopStartupHandler;
use pgwire::api::portal::{Format, Portal};
use pgwire::api::query::{ExtendedQueryHandler, SimpleQueryHandler};
use pgwire::api::results::{DataRowEncoder, FieldInfo, QueryResponse, Response};
use pgwire::api::stmt::QueryParser;
use pgwire::api::{ClientInfo, PgWireServerHandlers, Type};
use pgwire::error::{ErrorInfo, PgWireError, PgWireResult};
use pgwire::tokio::process_socket;

use crate::ground::Ground;

use super::connections::{accept, listen, serve_each};
use super::process::Serving;

/// Binds a database to a socket address of this machine. Anybody may log in.
///
/// # Errors
/// When the address cannot be bound.
pub fn bind(ground: &Ground, here: SocketAddr) -> io::Result<Serving> {
    if ground.simulated().is_some() {
        // Who asks it there is content with its being there.
        return accept(ground, here);
    }
    let listener = listen(here)?;
    let sessions = Sessions(Arc::new(Statements));
    Ok(async move {
        serve_each(vec![listener], |stream, _| {
            // An error here is the peer's end of the connection, and its business.
            process_socket(stream, None, sessions.clone()).map(drop)
        })
        .await;
    }
    .boxed_local())
}

#[derive(Clone, Debug)]
struct Sessions(Arc<Statements>);

impl PgWireServerHandlers for Sessions {
    fn simple_query_handler(&self) -> Arc<impl SimpleQueryHandler> {
        Arc::clone(&self.0)
    }

    fn extended_query_handler(&self) -> Arc<impl ExtendedQueryHandler> {
        Arc::clone(&self.0)
    }

    fn startup_handler(&self) -> Arc<impl StartupHandler> {
        Arc::clone(&self.0)
    }
}

/// One row of one column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Statement {
    column: &'static str,
    value: Value,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Value {
    Int4(i32),
    Bool(bool),
    Text(&'static str),
}

impl Statement {
    fn of(sql: &str) -> PgWireResult<Self> {
        let plain = sql.trim().trim_end_matches(';').split_whitespace().collect::<Vec<_>>().join(" ");
        match plain.to_ascii_lowercase().as_str() {
            "select 1" => Ok(Self { column: "?column?", value: Value::Int4(1) }),
            "select pg_is_in_recovery()" => Ok(Self { column: "pg_is_in_recovery", value: Value::Bool(false) }),
            "select version()" => Ok(Self { column: "version", value: Value::Text(VERSION) }),
            "show server_version" => Ok(Self { column: "server_version", value: Value::Text(VERSION) }),
            _ => Err(PgWireError::UserError(Box::new(ErrorInfo::new(
                "ERROR".to_owned(),
                "0A000".to_owned(),
                format!(
                    "this database only knows SELECT 1, SELECT version(), SELECT pg_is_in_recovery() and \
                     SHOW server_version, not: {plain}"
                ),
            )))),
        }
    }

    fn schema(self, format: &Format) -> Vec<FieldInfo> {
        let datatype = match self.value {
            Value::Int4(_) => Type::INT4,
            Value::Bool(_) => Type::BOOL,
            Value::Text(_) => Type::TEXT,
        };
        vec![FieldInfo::new(self.column.to_owned(), None, None, datatype, format.format_for(0))]
    }

    fn answer(self, format: &Format) -> PgWireResult<Response> {
        let schema = Arc::new(self.schema(format));
        let mut row = DataRowEncoder::new(Arc::clone(&schema));
        match self.value {
            Value::Int4(number) => row.encode_field(&number)?,
            Value::Bool(truth) => row.encode_field(&truth)?,
            Value::Text(text) => row.encode_field(&text)?,
        }
        Ok(Response::Query(QueryResponse::new(schema, stream::iter([Ok(row.take_row())]))))
    }
}

const VERSION: &str = concat!("muster ", env!("CARGO_PKG_VERSION"));

#[derive(Debug)]
struct Statements;

impl NoopStartupHandler for Statements {}

#[async_trait]
impl SimpleQueryHandler for Statements {
    async fn do_query<C>(&self, _client: &mut C, query: &str) -> PgWireResult<Vec<Response>>
    where
        C: ClientInfo + Unpin + Send + Sync,
    {
        Ok(vec![Statement::of(query)?.answer(&Format::UnifiedText)?])
    }
}

#[async_trait]
impl QueryParser for Statements {
    type Statement = Statement;

    async fn parse_sql<C>(&self, _client: &C, sql: &str, _types: &[Option<Type>]) -> PgWireResult<Option<Statement>>
    where
        C: ClientInfo + Unpin + Send + Sync,
    {
        Statement::of(sql).map(Some)
    }

    fn get_parameter_types(&self, _statement: &Statement) -> PgWireResult<Vec<Type>> {
        Ok(Vec::new())
    }

    fn get_result_schema(&self, statement: &Statement, format: Option<&Format>) -> PgWireResult<Vec<FieldInfo>> {
        Ok(statement.schema(format.unwrap_or(&Format::UnifiedBinary)))
    }
}

#[async_trait]
impl ExtendedQueryHandler for Statements {
    type Statement = Statement;
    type QueryParser = Self;

    fn query_parser(&self) -> Arc<Self> {
        Arc::new(Self)
    }

    async fn do_query<C>(&self, _client: &mut C, portal: &Portal<Statement>, _max_rows: usize) -> PgWireResult<Response>
    where
        C: ClientInfo + Unpin + Send + Sync,
    {
        portal.statement.statement.answer(&portal.result_column_format)
    }
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr};

    use tokio_postgres::{Client, Config, NoTls, SimpleQueryMessage};

    use super::*;
    use crate::ground::GroundKind;
    use crate::node::process::Process;

    /// A running database and a client that is logged in.
    async fn logged_in() -> (Process, Client) {
        // The kernel's choice of a free port; taken again at once.
        let here = listen((Ipv4Addr::LOCALHOST, 0).into()).unwrap().local_addr().unwrap();
        let ground = Ground::open(GroundKind::Loopback, &[]).await.unwrap();
        let mut process = Process::new(move || bind(&ground, here));
        process.start().unwrap();
        let mut login = Config::new();
        login.hostaddr(IpAddr::V4(Ipv4Addr::LOCALHOST)).port(here.port()).user("anybody");
        let (client, connection) = login.connect(NoTls).await.unwrap();
        tokio::task::spawn_local(connection);
        (process, client)
    }

    fn in_a_local_set(test: impl Future<Output = ()>) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        tokio::task::LocalSet::new().block_on(&runtime, test);
    }

    #[test]
    fn prepared_and_simple_statements_give_the_same_answers() {
        in_a_local_set(async {
            let (_process, client) = logged_in().await;
            assert_eq!(client.query_one("SELECT 1", &[]).await.unwrap().get::<_, i32>(0), 1);
            assert!(!client.query_one("select pg_is_in_recovery();", &[]).await.unwrap().get::<_, bool>(0));
            assert_eq!(client.query_one("SHOW server_version", &[]).await.unwrap().get::<_, &str>(0), VERSION);
            let simple = client.simple_query("SELECT  1;").await.unwrap();
            let row = simple.iter().find_map(|message| match message {
                SimpleQueryMessage::Row(row) => row.get(0),
                _ => None,
            });
            assert_eq!(row, Some("1"));
        });
    }

    #[test]
    fn an_unknown_statement_is_an_sql_error_and_the_session_goes_on() {
        in_a_local_set(async {
            let (_process, client) = logged_in().await;
            for error in [
                client.query("DROP TABLE users", &[]).await.unwrap_err(),
                client.simple_query("DROP TABLE users").await.unwrap_err(),
            ] {
                assert_eq!(error.code(), Some(&tokio_postgres::error::SqlState::FEATURE_NOT_SUPPORTED));
            }
            client.query_one("SELECT 1", &[]).await.unwrap();
        });
    }

    #[test]
    fn a_killed_database_drops_its_sessions() {
        in_a_local_set(async {
            let (mut process, client) = logged_in().await;
            process.kill().await;
            assert!(client.query("SELECT 1", &[]).await.unwrap_err().code().is_none());
        });
    }
}
