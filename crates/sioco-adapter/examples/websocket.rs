//! An accumulator that is tested over WebSocket: `sioco test accumulator.sts --sut ws://127.0.0.1:7000/`.

use std::net::TcpListener;

use serde_json::{Value, json};
use tungstenite::{Message, accept};

/// Serves testers, one after the other.
pub fn serve(listener: TcpListener) {
    for stream in listener.incoming().flatten() {
        // Answers are short: without this, each might take some 40 ms longer.
        let _ = stream.set_nodelay(true);
        let Ok(mut socket) = accept(stream) else { continue };
        let mut total = 0;
        // Whatever cannot be read or sent is the end of this tester.
        while let Ok(frame) = socket.read() {
            let Message::Text(text) = frame else { continue };
            let message: Value = serde_json::from_str(&text).expect("testers send JSON");
            let answers = match message["type"].as_str() {
                Some("hello") => vec![json!({"type": "hello", "protocol": 1, "name": "accumulator", "order": "sut"})],
                Some("reset") => {
                    total = 0;
                    vec![json!({"type": "ready", "run": message["run"]})]
                }
                Some("input") => {
                    total += message["args"]["p"].as_i64().expect("an integer");
                    let mut answers = vec![
                        json!({"type": "accepted", "id": message["id"]}),
                        json!({"type": "output", "gate": "outX", "args": {"p": total}}),
                    ];
                    if total > 15 {
                        answers.push(json!({"type": "output", "gate": "done"}));
                    }
                    answers
                }
                _ => vec![],
            };
            if answers.iter().any(|answer| socket.send(Message::text(answer.to_string())).is_err()) {
                break;
            }
        }
    }
}

fn main() {
    serve(TcpListener::bind("127.0.0.1:7000").expect("the port is free"));
}
