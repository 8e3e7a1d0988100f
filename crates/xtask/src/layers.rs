//! The crates and which may use which: the one place where that is said.
//!
//! `deps` holds the code to it, and `generate` draws it in `docs/architecture.md`.

/// A crate, there already or planned.
pub struct Layer {
    pub name: &'static str,
    pub job: &'static str,
    /// The crates right below it. It may use these and everything below them, and nothing else of the workspace.
    pub below: &'static [&'static str],
}

/// From the top down.
pub const LAYERS: &[Layer] = &[
    Layer {
        name: "sioco-fuzz",
        job: "random inputs for whatever reads bytes of others: models, imports, adapters, servers, journals, plans, logs, projects",
        below: &["sioco"],
    },
    Layer { name: "sioco", job: "the command: arguments, exit codes, wiring", below: &["sioco-test"] },
    Layer {
        name: "sioco-test",
        job: "Rust code tested from `cargo test`, without the command",
        below: &["sioco-report"],
    },
    Layer {
        name: "xtask",
        job: "development: checks of the tree, generated documents",
        below: &["sioco-report", "sioco-adapter"],
    },
    Layer {
        name: "sioco-trust",
        job: "an oracle of its own: random models, their meaning by brute force, every command held against it",
        below: &["sioco-exec", "sioco-lang"],
    },
    Layer {
        name: "sioco-report",
        job: "pictures of models, diagnostics and runs; one file per renderer",
        below: &["sioco-campaign", "sioco-lang"],
    },
    Layer {
        name: "sioco-lang",
        job: "source text, diagnostics, parser, checker (text to model), formatter",
        below: &["sioco-model"],
    },
    Layer {
        name: "sioco-campaign",
        job: "one campaign from model to summary: planning, the run, gates, shrinking, budgets",
        below: &["sioco-adapter"],
    },
    Layer {
        name: "sioco-adapter",
        job: "the outside world: child processes and sockets that connect a SUT",
        below: &["sioco-exec"],
    },
    Layer {
        name: "sioco-exec",
        job: "the tester: what the SUT may be doing, what to send next, the verdict, the journal",
        below: &["sioco-plan"],
    },
    Layer { name: "sioco-plan", job: "what to test: purposes, suites, coverage goals", below: &["sioco-symbolic"] },
    Layer {
        name: "sioco-symbolic",
        job: "symbolic states, the execution graph, inclusion, quiescence",
        below: &["sioco-solve"],
    },
    Layer {
        name: "sioco-solve",
        job: "satisfiability: cheap answers first, then SMT solvers; choice of values",
        below: &["sioco-model"],
    },
    Layer { name: "sioco-model", job: "sorts, terms, values, evaluation, the checked model and its steps", below: &[] },
];

pub fn layer(name: &str) -> Option<&'static Layer> {
    LAYERS.iter().find(|layer| layer.name == name)
}

impl Layer {
    /// Whether the other crate is somewhere below this one.
    pub fn may_use(&self, other: &str) -> bool {
        self.below.iter().any(|&name| name == other || layer(name).is_some_and(|below| below.may_use(other)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_points_down() {
        for (at, layer) in LAYERS.iter().enumerate() {
            for name in layer.below {
                let below = LAYERS.iter().position(|other| other.name == *name).expect("a crate of the table");
                assert!(below > at, "{} stands above {name} in the picture", layer.name);
            }
        }
    }

    #[test]
    fn below_means_all_the_way_down() {
        let may = |user: &str, used: &str| layer(user).unwrap().may_use(used);
        assert!(may("sioco-lang", "sioco-model") && may("sioco", "sioco-model") && may("sioco-exec", "sioco-solve"));
        assert!(!may("sioco-model", "sioco-lang") && !may("sioco-lang", "sioco-lang"));
        assert!(!may("sioco-exec", "sioco-lang") && !may("sioco-lang", "sioco-solve") && !may("xtask", "sioco"));
    }
}
