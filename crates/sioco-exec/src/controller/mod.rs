//! Controllers: what to do next. Each knows one reason to act, and none gives verdicts.

pub mod probe;
