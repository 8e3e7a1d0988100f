//! Hostile models: each makes something large, long or endless.

use std::fmt::Write as _;

/// A model of the zoo.
pub struct Animal {
    /// What it is called in the table.
    pub name: &'static str,
    /// Its text.
    pub text: String,
}

/// All of them, in the order of the table.
pub fn all() -> Vec<Animal> {
    let mut zoo = Vec::new();
    let mut add = |name: &'static str, text: String| zoo.push(Animal { name, text });

    // Internal steps of processes in parallel, which may happen in any order.
    add("interleaving-6", instances(COUNTERS, 6));
    add("interleaving-12", instances(COUNTERS, 12));
    add("interleaving-40", instances(COUNTERS, 40));
    add("interleaving-outputs", instances(TALKERS, 8));
    add("interleaving-choices", instances(CHOOSERS, 5));
    add("interleaving-handshakes", handshakes(8));
    add("instances-300", instances(QUIET, 300));
    add("instances-3000", instances(QUIET, 3_000));
    add("instances-10000", instances(QUIET, 10_000));
    add("ring-of-channels", ring(40));

    // Internal steps without an end.
    add("divergence-counter", loops("tau / v := v + 1 -> s"));
    add("divergence-counter-stops-late", loops("tau [v < 1000000000] / v := v + 1 -> s"));
    add("divergence-doubling", loops("tau / v := v * 2 + 1 -> s"));
    add("divergence-free-choice", loops("tau any k: Int / v := v + k -> s"));
    add("divergence-bounded-choice", loops("tau any k: Int in 0..1000000 / v := v * 3 + k -> s"));
    add(
        "divergence-collatz",
        loops("tau [v mod 2 == 0] / v := v div 2 -> s\n    tau [v mod 2 != 0] / v := 3 * v + 1 -> s"),
    );
    add("divergence-two-ways", loops("tau / v := v + 1 -> s\n    tau / v := v - 1, w := w + 1 -> s"));
    add("divergence-of-a-sequence", sequence("tau / q := q ++ [len(q)] -> s"));

    // Numbers that grow.
    add("cubes", loops("?a(x) / v := v * (w + x), w := w * w * w -> s"));
    add("cubes-alone", loops("tau / v := v * (w + 1) + w, w := w * w * w -> s"));
    add("squares", loops("?a(x) / v := (v + x) * (v + x) -> s"));
    add("squares-in-a-guard", loops("?a(x) [v * v * v * v * v * v != x] / v := v * v * v + 7 -> s"));
    add("products-of-inputs", loops("?a(x) / v := v * x + w, w := w * v + x -> s"));
    add("fractions", reals("?a(x) / r := r * r + 1 / (x * x + 3) -> s"));
    add("fractions-in-a-guard", reals("?a(x) [r * r * r < x] / r := r / 3 + r * r -> s"));
    add(
        "remainders",
        loops("?a(x) [(v * v + x) mod 1000003 == 17] / v := v * v + x, w := (w * w) mod (v * v + 1) -> s"),
    );
    add("polynomial-of-high-degree", loops(&format!("?a(x) [{} == 12345678987654321] -> s", repeat("x", 60, " * "))));
    add(
        "system-of-products",
        loops("?a(x) [x * x * x + v * v * v == w * w * w && x > 2 && v > 2] / v := x, w := v + 1 -> s"),
    );
    add("number-of-50000-digits", loops(&format!("?a(x) [x == {}] / v := v * x -> s", "7".repeat(50_000))));
    add("range-of-50000-digits", gates(&format!("input a(x: Int in 0..{})", "9".repeat(50_000)), "?a(x) -> s"));

    // Data that grows.
    add("text-that-doubles", text("?t(x) / m := m ++ m ++ x -> s"));
    add("text-that-doubles-alone", text("tau / m := m ++ m ++ \"ab\" -> s"));
    add("text-in-guards", text("?t(x) [contains(m ++ x, \"ab\") && len(m) < 40] / m := m ++ x -> s"));
    add("sequence-that-doubles", sequence("?a(x) / q := q ++ q ++ [x] -> s"));
    add("sequence-of-inputs", sequence("?a(x) [!contains(q, x)] / q := q ++ [x] -> s"));
    add(
        "sequence-by-index",
        sequence(
            "?a(x) [len(q) > 3 && q[x mod 3] == x] / q := q ++ [x] -> s\n    ?a(x) [len(q) <= 3] / q := q ++ [x] -> s",
        ),
    );
    add("records-of-records", records(12));
    add("enumeration-of-20000", enumeration(20_000));
    add("variants-of-2000", variants(2_000));

    // Many states.
    add(
        "counters-of-a-million",
        loops("?a(x) [0 < x < 1000] / v := v + x -> s\n    ?a(x) [x > 1000] / w := w + x -> s"),
    );
    add("lattice-of-ten", lattice(10));
    add("lattice-of-forty", lattice(40));
    add("free-variables-20", free(20));
    add("free-variables-400", free(400));
    add("deep-tree", tree(14));
    add("chain-of-3000", chain(3_000, ""));
    add("chain-of-100000", chain(100_000, ""));
    add("chain-of-internal-steps", chain(20_000, "tau"));
    add("complete-graph-of-200", complete(200));

    // Many parts.
    add("variables-2000", variables(2_000));
    add("variables-20000", variables(20_000));
    add("switches-of-one-location", fan(20_000));
    add("guards-300-with-else", guards(300));
    add("guards-3000-with-else", guards(3_000));
    add("conjuncts-4000", conjuncts(4_000));
    add("conjuncts-50000", conjuncts(50_000));
    add("disjuncts-4000", disjuncts(4_000));
    add("sum-of-20000", loops(&format!("?a(x) [{} > 5] / v := x -> s", repeat("x", 20_000, " + "))));
    add("brackets-200", loops(&format!("?a(x) [{}x{} > 5] / v := x -> s", "(".repeat(200), ")".repeat(200))));
    add(
        "brackets-100000",
        loops(&format!("?a(x) [{}x{} > 5] / v := x -> s", "(".repeat(100_000), ")".repeat(100_000))),
    );
    add("conditionals-3000", conditionals(3_000));
    add("lets-that-double", lets(40));
    add("functions-that-double", functions(40));
    add("functions-deep", functions_in_a_row(3_000));
    add("gates-20000", many_gates(20_000));
    add("parameters-2000", parameters(2_000));
    add("names-of-a-million", long_names(1_000_000));
    add("text-of-two-million", text(&format!("?t(x) [x != \"{}\"] / m := x -> s", "a".repeat(2_000_000))));
    add("comments-without-end", format!("{}{}", "// a comment\n".repeat(200_000), loops("?a(x) / v := x -> s")));
    add("errors-without-end", loops(&"?b(x) [y > z] / u := x -> t\n    ".repeat(20_000)));
    add("garbage", "process { ( [ ; -> tau any ?".repeat(50_000));

    // Conditions that are hard to decide.
    add("pigeons", pigeons(9));
    add("parity", parity(40));
    add("quantifiers", quantifiers(4));
    add("magic-square", magic());
    add("purpose-of-many-ways", purpose("(?a(_) | !b(_)){0..40}; (?a(_) | any){0..40}; ?a(x) [x == 77]"));
    add("purpose-nested", purpose("((((?a(_)*; any*)*; any*)*; ..)*; any{0..50}){1..50}; delta"));
    zoo
}

const HEAD: &str = "input a(x: Int)\noutput b(y: Int)\n";

/// The model of the report: each instance counts by itself, or when it is asked to.
const COUNTERS: &str = "\
process P(k: Int) {
  var v: Int = 0
  init s {
    tau [v < 3] / v := v + 1 -> s
    ?a(x) [x == k] / v := v + 1 -> s
  }
}
";

const TALKERS: &str = "\
process P(k: Int) {
  var v: Int = 0
  init s {
    tau [v < 4] / v := v + 1 -> s
    !b(v * 10 + k) -> t
  }
  state t {
    tau -> s
    ?a(x) / v := v * 2 + x -> t
  }
}
";

const CHOOSERS: &str = "\
process P(k: Int) {
  var v: Int = 0
  init s {
    tau any c: Int in 0..9 [v < 100000] / v := v * 10 + c -> s
    ?a(x) [x == k] / v := 0 -> s
    !b(v + k) -> s
  }
}
";

const QUIET: &str = "\
process P(k: Int) {
  var v: Int = 0
  init s {
    ?a(x) [x == k] / v := v + 1 -> s
    !b(v) [v > k] -> s
  }
}
";

fn repeat(part: &str, times: usize, between: &str) -> String {
    vec![part; times].join(between)
}

fn instances(process: &str, number: usize) -> String {
    let all: Vec<String> = (0..number).map(|k| format!("P({k})")).collect();
    format!("{HEAD}\n{process}\nsystem S = {}\n", all.join(" || "))
}

fn gates(declarations: &str, switches: &str) -> String {
    format!("{declarations}\noutput b(y: Int)\n\nprocess P {{\n  init s {{\n    {switches}\n    !b(1) -> s\n  }}\n}}\n")
}

/// One location with variables `v` and `w`, and these switches.
fn loops(switches: &str) -> String {
    format!(
        "{HEAD}\nprocess P {{\n  var v: Int = 3\n  var w: Int = 5\n  init s {{\n    {switches}\n    !b(v) [v > 1000] -> t\n  }}\n  \
         state t {{\n    ?a(x) / v := x -> s\n  }}\n}}\n"
    )
}

fn reals(switches: &str) -> String {
    format!(
        "input a(x: Real)\noutput b(y: Real)\n\nprocess P {{\n  var r: Real = 0.5\n  init s {{\n    {switches}\n    \
         !b(r) [r > 3] -> s\n  }}\n}}\n"
    )
}

fn text(switches: &str) -> String {
    format!(
        "input t(x: String)\noutput u(y: String)\n\nprocess P {{\n  var m: String = \"x\"\n  init s {{\n    {switches}\n    \
         !u(m) [len(m) > 3] -> s\n  }}\n}}\n"
    )
}

fn sequence(switches: &str) -> String {
    format!(
        "{HEAD}\nprocess P {{\n  var q: Seq<Int> = [1]\n  init s {{\n    {switches}\n    !b(len(q)) -> s\n  }}\n}}\n"
    )
}

fn handshakes(pairs: usize) -> String {
    let mut out = String::from(HEAD);
    let mut system = Vec::new();
    for i in 0..pairs {
        let _ = write!(
            out,
            "channel c{i}(z: Int)\nprocess A{i} {{\n  var v: Int = 0\n  init s {{ send c{i}(v) [v < 5] / v := v + 1 -> s }}\n}}\n\
             process B{i} {{\n  var v: Int = 0\n  init s {{\n    recv c{i}(z) / v := v + z -> s\n    !b(v * 100 + {i}) -> s\n    \
             ?a(x) [x == {i}] -> s\n  }}\n}}\n"
        );
        system.push(format!("A{i} || B{i}"));
    }
    format!("{out}system S = {}\n", system.join(" || "))
}

fn ring(size: usize) -> String {
    let mut out = String::from(HEAD);
    let mut system = Vec::new();
    for i in 0..size {
        let next = (i + 1) % size;
        let _ = write!(
            out,
            "channel c{i}(z: Int)\nprocess A{i} {{\n  var v: Int = {i}\n  init s {{\n    send c{next}(v) -> s\n    \
             recv c{i}(z) / v := z + 1 -> s\n    ?a(x) [x == {i}] / v := 0 -> s\n    !b(v) [v > 100] -> s\n  }}\n}}\n"
        );
        system.push(format!("A{i}"));
    }
    format!("{out}system S = {}\n", system.join(" || "))
}

fn records(depth: usize) -> String {
    let mut out = String::from("type R0 = { a: Int, b: Int }\n");
    for i in 1..=depth {
        let _ = writeln!(out, "type R{i} = {{ a: R{}, b: R{} }}", i - 1, i - 1);
    }
    let _ = write!(
        out,
        "input a(x: R{depth})\noutput b(y: R{depth})\nprocess P {{\n  var r: R{depth} = any\n  init s {{\n    \
         ?a(x) [x != r] / r := x -> s\n    !b(r) -> s\n  }}\n}}\n"
    );
    out
}

fn enumeration(size: usize) -> String {
    let names: Vec<String> = (0..size).map(|i| format!("E{i}")).collect();
    format!(
        "type E = {}\ninput a(x: E)\noutput b(y: E)\nprocess P {{\n  var e: E = any\n  init s {{\n    ?a(x) [x != e] / e := x -> s\n    \
         !b(e) -> s\n  }}\n}}\n",
        names.join(" | ")
    )
}

fn variants(size: usize) -> String {
    let names: Vec<String> = (0..size).map(|i| format!("V{i}(f{i}: Int, g{i}: Int)")).collect();
    let arms: Vec<String> = (0..size).map(|i| format!("V{i}(f, g) => f * g + {i}")).collect();
    format!(
        "type V = {}\ninput a(x: V)\noutput b(y: Int)\nprocess P {{\n  var v: V = any\n  init s {{\n    ?a(x) [x != v] / v := x -> s\n    \
         !b(match v {{ {} }}) -> s\n  }}\n}}\n",
        names.join(" | "),
        arms.join(", ")
    )
}

/// As many counters, each of which can go up alone.
fn lattice(size: usize) -> String {
    let mut out = format!("{HEAD}\nprocess P {{\n");
    for i in 0..size {
        let _ = writeln!(out, "  var v{i}: Int in 0..9 = 0");
    }
    out += "  init s {\n";
    for i in 0..size {
        let _ = writeln!(out, "    ?a(x) [x == {i} && v{i} < 9] / v{i} := v{i} + 1 -> s");
    }
    out += "    !b(v0) [v0 == 9] -> s\n  }\n}\n";
    out
}

fn free(size: usize) -> String {
    let mut out = format!("{HEAD}\nprocess P {{\n");
    for i in 0..size {
        let _ = writeln!(out, "  var v{i}: Int = any");
    }
    out += "  init s {\n";
    for i in 0..size {
        let next = (i + 1) % size;
        let _ = writeln!(out, "    ?a(x) [x == {i} && v{i} < v{next}] / v{i} := v{next} + x -> s");
    }
    out += "    !b(v0) [v0 > 9] -> s\n  }\n}\n";
    out
}

fn tree(depth: usize) -> String {
    let mut out = format!("{HEAD}\nprocess P {{\n");
    for node in 1..1_usize << depth {
        let word = if node == 1 { "init" } else { "state" };
        let _ = writeln!(out, "  {word} n{node} {{");
        if node < 1 << (depth - 1) {
            let _ =
                writeln!(out, "    ?a(x) [x > {node}] -> n{}\n    ?a(x) [x < {node}] -> n{}", 2 * node, 2 * node + 1);
        } else {
            let _ = writeln!(out, "    !b({node}) -> n1");
        }
        out += "  }\n";
    }
    out + "}\n"
}

fn chain(length: usize, label: &str) -> String {
    let mut out = format!("{HEAD}\nprocess P {{\n  var v: Int = 0\n");
    for i in 0..length {
        let word = if i == 0 { "init" } else { "state" };
        let next = (i + 1) % length;
        let step = match (label, i % 2) {
            ("", 0) => format!("?a(x) [x > v] / v := v + 1 -> s{next}"),
            ("", _) => format!("!b(v) -> s{next}"),
            _ if i % 100 == 99 => format!("?a(x) -> s{next}"),
            _ => format!("{label} / v := v + 1 -> s{next}"),
        };
        let _ = writeln!(out, "  {word} s{i} {{ {step} }}");
    }
    out + "}\n"
}

fn complete(size: usize) -> String {
    let mut out = format!("{HEAD}\nprocess P {{\n  var v: Int = 0\n");
    for i in 0..size {
        let word = if i == 0 { "init" } else { "state" };
        let _ = writeln!(out, "  {word} s{i} {{");
        for j in 0..size {
            let _ = writeln!(out, "    ?a(x) [x == {j}] / v := v + {i} -> s{j}");
        }
        out += "  }\n";
    }
    out + "}\n"
}

fn variables(size: usize) -> String {
    let mut out = format!("{HEAD}\nprocess P {{\n");
    for i in 0..size {
        let _ = writeln!(out, "  var v{i}: Int = {i}");
    }
    out += "  init s {\n    ?a(x) / ";
    let updates: Vec<String> = (0..size).map(|i| format!("v{i} := v{} + x", (i + 1) % size)).collect();
    let _ = write!(out, "{} -> s\n    !b(v0) [v0 > v1] -> s\n  }}\n}}\n", updates.join(", "));
    out
}

fn fan(size: usize) -> String {
    let mut switches = String::new();
    for i in 0..size {
        let _ = writeln!(switches, "    ?a(x) [x == {i}] / v := v + {i} -> s");
    }
    loops(switches.trim())
}

fn guards(size: usize) -> String {
    let mut switches = String::new();
    for i in 0..size {
        let _ = writeln!(switches, "    ?a(x) [x * {} > v + {i}] / v := v + {i} -> s", i + 2);
    }
    switches += "    ?a(x) [else] -> s\n";
    loops(switches.trim())
}

fn conjuncts(size: usize) -> String {
    let all: Vec<String> = (0..size).map(|i| format!("x != {i}")).collect();
    loops(&format!("?a(x) [{}] / v := v + x -> s", all.join(" && ")))
}

fn disjuncts(size: usize) -> String {
    let all: Vec<String> = (0..size).map(|i| format!("x * v == {i}")).collect();
    loops(&format!("?a(x) [{}] / v := v + x -> s", all.join(" || ")))
}

fn conditionals(size: usize) -> String {
    let mut out = String::from("0");
    for i in 0..size {
        out = format!("if x == {i} then {} else {out}", i + 1);
        if out.len() > 4_000_000 {
            break;
        }
    }
    loops(&format!("?a(x) / v := {out} -> s"))
}

fn lets(depth: usize) -> String {
    let mut out = String::from("let y0 = x in ");
    for i in 1..depth {
        let _ = write!(out, "let y{i} = y{} * y{} + v in ", i - 1, i - 1);
    }
    loops(&format!("?a(x) / v := {out} y{} -> s", depth - 1))
}

fn functions(depth: usize) -> String {
    let mut out = String::from("fun f0(x: Int): Int = x + 1\n");
    for i in 1..depth {
        let _ = writeln!(out, "fun f{i}(x: Int): Int = f{}(x) + f{}(x + {i})", i - 1, i - 1);
    }
    out + &loops(&format!("?a(x) [f{}(x) > 0] / v := f{}(x + v) -> s", depth - 1, depth - 1))
}

fn functions_in_a_row(depth: usize) -> String {
    let mut out = String::from("fun f0(x: Int): Int = x + 1\n");
    for i in 1..depth {
        let _ = writeln!(out, "fun f{i}(x: Int): Int = f{}(x) + {i}", i - 1);
    }
    out + &loops(&format!("?a(x) [f{}(x) > 0] / v := f{}(x + v) -> s", depth - 1, depth - 1))
}

fn many_gates(size: usize) -> String {
    let (mut head, mut body) = (String::new(), String::new());
    for i in 0..size {
        let _ = writeln!(head, "input i{i}(x: Int)\noutput o{i}(y: Int)");
        let _ = writeln!(body, "    ?i{i}(x) [x > v] / v := v + 1 -> s\n    !o{i}(v) [v == {i}] -> s");
    }
    format!("{head}process P {{\n  var v: Int = 0\n  init s {{\n{body}  }}\n}}\n")
}

fn parameters(size: usize) -> String {
    let declared: Vec<String> = (0..size).map(|i| format!("p{i}: Int")).collect();
    let bound: Vec<String> = (0..size).map(|i| format!("p{i}")).collect();
    let ordered: Vec<String> = (1..size).map(|i| format!("p{} < p{i}", i - 1)).collect();
    format!(
        "input a({})\noutput b({})\nprocess P {{\n  init s {{\n    ?a({}) [{}] -> t\n  }}\n  state t {{\n    !b({}) -> s\n  }}\n}}\n",
        declared.join(", "),
        declared.join(", "),
        bound.join(", "),
        ordered.join(" && "),
        (0..size).map(|i| i.to_string()).collect::<Vec<_>>().join(", ")
    )
}

fn long_names(length: usize) -> String {
    let name = "n".repeat(length);
    format!(
        "input {name}(x: Int)\noutput b\nprocess P {{\n  init s {{\n    ?{name}(x) [x > 3] -> s\n    !b -> s\n  }}\n}}\n"
    )
}

/// So many pigeons in one hole fewer.
fn pigeons(number: usize) -> String {
    let holes = number - 1;
    let declared: Vec<String> = (0..number).map(|i| format!("p{i}: Int in 1..{holes}")).collect();
    let bound: Vec<String> = (0..number).map(|i| format!("p{i}")).collect();
    let mut apart = Vec::new();
    for i in 0..number {
        for j in 0..i {
            apart.push(format!("p{i} * 3 != p{j} * 3"));
        }
    }
    format!(
        "input a({})\noutput b\nprocess P {{\n  init s {{\n    ?a({}) [{}] -> t\n    ?a({}) [p0 == 1] -> s\n  }}\n  state t {{\n    !b -> s\n  }}\n}}\n",
        declared.join(", "),
        bound.join(", "),
        apart.join(" && "),
        bound.join(", ")
    )
}

fn parity(number: usize) -> String {
    let declared: Vec<String> = (0..number).map(|i| format!("p{i}: Bool")).collect();
    let bound: Vec<String> = (0..number).map(|i| format!("p{i}")).collect();
    format!(
        "input a({})\noutput b\nprocess P {{\n  init s {{\n    ?a({}) [({}) && !({})] -> t\n  }}\n  state t {{\n    !b -> s\n  }}\n}}\n",
        declared.join(", "),
        bound.join(", "),
        bound.join(" == ").replace(" == ", ") == (").replacen("p0) == (", "(p0) == (", 1),
        bound.iter().rev().cloned().collect::<Vec<_>>().join(") == (")
    )
}

/// Outputs whose hidden choices have to exist.
fn quantifiers(number: usize) -> String {
    let mut switches = String::from("?a(x) / v := x -> s\n");
    for i in 0..number {
        let _ = writeln!(
            switches,
            "    tau any c{i}: Int, any d{i}: Int [c{i} * d{i} == v + {i} && c{i} > 1 && d{i} > 1] / w := w + c{i} -> s"
        );
    }
    switches += "    tau [else] / w := w + 1 -> s";
    loops(&switches)
}

fn magic() -> String {
    let declared: Vec<String> = (1..=9).map(|i| format!("p{i}: Int in 1..1000")).collect();
    let bound: Vec<String> = (1..=9).map(|i| format!("p{i}")).collect();
    let lines = [[1, 2, 3], [4, 5, 6], [7, 8, 9], [1, 4, 7], [2, 5, 8], [3, 6, 9], [1, 5, 9], [3, 5, 7]];
    let sums: Vec<String> =
        lines.iter().map(|[a, b, c]| format!("p{a} * p{a} + p{b} * p{b} + p{c} * p{c} == v")).collect();
    format!(
        "input a({})\noutput b\nprocess P {{\n  var v: Int = 2187\n  init s {{\n    ?a({}) [{} && p1 != p2 && p2 != p3 && p1 != p3 && p4 != p5] / v := v + p1 -> t\n  }}\n  state t {{\n    !b -> s\n  }}\n}}\n",
        declared.join(", "),
        bound.join(", "),
        sums.join(" && ")
    )
}

fn purpose(pattern: &str) -> String {
    format!("{}\npurpose Q {{\n  {pattern}\n}}\n", loops("?a(x) / v := v + x -> s\n    !b(v) -> s"))
}
