//! `sioco explain`: more about a code.

use clap::Args;
use serde_json::{Value, json};
use sioco_lang::Code;
use sioco_lang::diagnostic::{Severity, did_you_mean};

use crate::exit::Exit;
use crate::failure::Failure;
use crate::markdown;
use crate::output::{Format, Output};

/// Say more about a code, with examples
///
/// Without a code, lists all of them.
#[derive(Args, Debug)]
#[command(after_help = "\
Example:
  sioco explain N001
  sioco explain sioco::n001
  sioco explain | grep -i guard")]
pub struct Explain {
    /// The code, such as `N001` or `sioco::N001`
    #[arg(value_name = "CODE")]
    code: Option<String>,

    /// Whom the output is for
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

impl Explain {
    /// Explains one code, or lists all.
    pub fn run(&self, out: &mut Output) -> Result<Exit, Failure> {
        let style = out.style();
        match (&self.code, self.format) {
            (Some(text), Format::Human) => {
                let code = find(text)?;
                let head = format!("{}[{code}]", severity(code));
                out.line(match code.severity() {
                    Severity::Error => style.red(head),
                    Severity::Warning => style.bold(head),
                });
                out.print(&markdown::render(code.explanation(), style, out.width()));
            }
            (Some(text), Format::Json) => {
                let code = find(text)?;
                let mut object = object(code);
                object["explanation"] = code.explanation().into();
                out.line(object);
            }
            (None, Format::Human) => {
                for code in Code::ALL {
                    out.line(format_args!("{}  {}", style.bold(code.short()), code.title()));
                }
            }
            (None, Format::Json) => {
                for code in Code::ALL {
                    out.line(object(*code));
                }
            }
        }
        Ok(Exit::Ok)
    }
}

fn object(code: Code) -> Value {
    json!({ "code": code.to_string(), "severity": severity(code), "title": code.title() })
}

fn severity(code: Code) -> &'static str {
    match code.severity() {
        Severity::Error => "error",
        Severity::Warning => "warning",
    }
}

fn find(text: &str) -> Result<Code, Failure> {
    let text = text.trim();
    // Case and prefix do not matter, as little as they do for codes that exist.
    let upper = text.to_uppercase();
    let short = upper.strip_prefix("SIOCO::").unwrap_or(&upper);
    Code::parse(short).ok_or_else(|| {
        let failure = Failure::usage(format!("there is no code `{text}`"));
        match did_you_mean(short, Code::ALL.iter().map(|code| code.short())) {
            Some(near) => failure.help(format!("did you mean `{near}`? `sioco explain` lists all codes")),
            None => failure.help("`sioco explain` lists all codes"),
        }
    })
}
