use super::samples::*;
use super::*;

fn draw(model: &Model) -> String {
    svg(model, &default_text(model), &PictureOptions::default())
}

/// Every sample has a picture of every kind. With the name of a folder in `GALLERY`, they are written there to be
/// looked at.
#[test]
fn gallery() {
    let folder = std::env::var_os("GALLERY").map(std::path::PathBuf::from);
    let samples = [
        ("accumulator", model(ACCUMULATOR)),
        ("brp", model(BRP)),
        ("busy", busy()),
        ("pair", model(PAIR)),
        ("random40", random(40, 70, 7)),
        ("random200", random(200, 380, 3)),
    ];
    for (name, model) in samples {
        let (text, options) = (default_text(&model), PictureOptions::default());
        let pictures = [
            ("svg", svg(&model, &text, &options)),
            ("dot", dot(&model, &text, &options)),
            ("mmd", mermaid(&model, &text, &options)),
        ];
        for (kind, picture) in pictures {
            assert!(model.locations.values().all(|l| l.hidden || picture.contains(&l.name)), "{name}.{kind}");
            if let Some(folder) = &folder {
                std::fs::write(folder.join(format!("{name}.{kind}")), picture).expect("the folder is there");
            }
        }
    }
}

#[test]
fn a_small_model_as_dot() {
    let m = model(ACCUMULATOR);
    insta::assert_snapshot!(dot(&m, &default_text(&m), &PictureOptions::default()), @r##"
    digraph "Accumulator" {
      graph [rankdir=TB, fontname="Helvetica", bgcolor="white", nodesep=0.5, ranksep=0.5];
      node [shape=box, style="rounded,filled", fillcolor="#f6f8fa", fontname="Helvetica"];
      edge [fontname="monospace", fontsize=10];
      subgraph cluster_0 {
        label=<<b>Accumulator</b><br align="left"/>x: Int = 0<br align="left"/>>; labeljust=l; color="#b0b8c0";
        p0_start [shape=point, width=0.1, fillcolor=black, label=""];
        p0_n0 [label="l0"];
        p0_n1 [label="l1"];
        p0_n2 [label="l2", peripheries=2];
        p0_start -> p0_n0;
        // add
        p0_n0 -> p0_n1 [color="#0b5cad", arrowhead=normal, label=<<b>add:</b> ?inX(p) [1 &lt;= p &lt;= 10]<br align="left"/>&#160;&#160;/ x := x + p<br align="left"/>>];
        // finish
        p0_n0 -> p0_n2 [color="#a33a00", arrowhead=empty, label=<<b>finish:</b> !done [x &gt; 15]<br align="left"/>>];
        // tell
        p0_n1 -> p0_n0 [color="#a33a00", arrowhead=empty, label=<<b>tell:</b> !outX(x)<br align="left"/>>];
      }
    }
    "##);
}

#[test]
fn a_small_model_as_mermaid() {
    let m = model(ACCUMULATOR);
    insta::assert_snapshot!(mermaid(&m, &default_text(&m), &PictureOptions::default()), @r##"
    flowchart TB
      subgraph p0["Accumulator<br/>x: Int = 0"]
        p0_start(( )):::dot
        p0_n0(["l0"])
        p0_n1(["l1"])
        p0_n2((("l2")))
        p0_start --> p0_n0
        p0_n0 -->|"add: ?inX(p) [1 #lt;= p #lt;= 10]<br/>/ x := x + p"| p0_n1
        p0_n0 ==>|"finish: !done [x #gt; 15]"| p0_n2
        p0_n1 ==>|"tell: !outX(x)"| p0_n0
      end
      classDef dot fill:#24292f,stroke:#24292f
      linkStyle 1 stroke:#0b5cad
      linkStyle 2,3 stroke:#a33a00
    "##);
}

#[test]
fn a_small_model_as_svg() {
    let m = model(ACCUMULATOR);
    let picture = draw(&m);
    // The drawing itself; what comes before is the same for all.
    insta::assert_snapshot!(&picture[picture.find("<rect class=\"ground\"").expect("it has a ground")..], @r##"
    <rect class="ground" width="100%" height="100%"/>
    <g transform="translate(16,16)">
    <text class="title" x="14" y="26">Accumulator</text>
    <text class="variables" xml:space="preserve" x="14" y="46">x: Int = 0</text>
    <g transform="translate(14,68.5)">
    <circle class="dot" cx="249.6" cy="2" r="4"/>
    <path class="line" d="M249.6,2 V4 V18 V27" marker-end="url(#sioco-start)"/>
    <g class="input"><title>add: ?inX(p) [1 &lt;= p &lt;= 10] / x := x + p</title>
    <path class="line" d="M229.6,59 V68 C229.6,80.3 196.6,80.3 196.6,92.6 V121.6 V135.6 V144.6" marker-end="url(#sioco-input)"/>
    <g data-switch="add"><text class="code" y="103.6"><tspan x="10" class="name">add:</tspan><tspan x="43.3" class="input">?inX(p)</tspan><tspan x="96.5">[1 &lt;= p &lt;= 10]</tspan></text><text class="code" y="118.1"><tspan x="23.3">/ x := x + p</tspan></text></g>
    </g>
    <g class="output"><title>finish: !done [x &gt; 15]</title>
    <path class="line" d="M269.6,59 V68 C269.6,80.3 335.6,80.3 335.6,92.6 V121.6 V135.6 V144.6" marker-end="url(#sioco-output)"/>
    <g data-switch="finish"><text class="code" y="110.8"><tspan x="342.6" class="name">finish:</tspan><tspan x="395.8" class="output">!done</tspan><tspan x="435.7">[x &gt; 15]</tspan></text></g>
    </g>
    <g class="output"><title>tell: !outX(x)</title>
    <path class="line" d="M216.6,144.6 V135.6 V121.6 V92.6 C216.5,80.3 249.6,80.3 249.6,68 V59" marker-end="url(#sioco-output)"/>
    <g data-switch="tell"><text class="code" y="110.8"><tspan x="223.5" class="name">tell:</tspan><tspan x="263.4" class="output">!outX(x)</tspan></text></g>
    </g>
    <g data-location="l0">
    <rect class="node" x="215.6" y="27" width="68" height="32" rx="13"/>
    <text class="location" x="249.6" y="47.5">l0</text></g>
    <g data-location="l1">
    <rect class="node" x="182.6" y="144.6" width="48" height="32" rx="13"/>
    <text class="location" x="206.6" y="165.1">l1</text></g>
    <g data-location="l2">
    <rect class="node" x="311.6" y="144.6" width="48" height="32" rx="13"/>
    <rect class="inner" x="315.1" y="148.1" width="41" height="25" rx="12.5"/>
    <text class="location" x="335.6" y="165.1">l2</text></g>
    </g>
    </g>
    <g class="input"><path class="line" d="M30,300.1 h30" marker-end="url(#sioco-input)"/></g><text class="note" x="67" y="304.1">input</text>
    <g class="output"><path class="line" d="M121,300.1 h30" marker-end="url(#sioco-output)"/></g><text class="note" x="158" y="304.1">output</text>
    </svg>
    "##);
}

#[test]
fn an_answered_input_is_one_edge() {
    let m = busy();
    let text = mermaid(&m, &default_text(&m), &PictureOptions::default());
    assert!(text.contains("\"ask: ?query(q)<br/>/ count := count + q #59;<br/>!reply(q + limit)\""), "{text}");
    assert!(draw(&m).contains("data-switch=\"ask\""));
}

#[test]
fn names_variables_and_legend_can_be_left_out() {
    let m = model(PAIR);
    let options =
        PictureOptions { show_names: false, show_variables: false, show_legend: false, css: "x<y".into(), only: None };
    let text = default_text(&m);
    for picture in [svg(&m, &text, &options), dot(&m, &text, &options), mermaid(&m, &text, &options)] {
        assert!(!picture.contains("ship:") && !picture.contains("Int = "), "{picture}");
        assert!(!picture.contains("class=\"note\"") && !picture.contains("x<y"), "{picture}");
    }
    assert!(draw(&m).contains(">ship:<"), "a name is shown without its instance");
}

#[test]
fn strange_texts_are_escaped() {
    let m = model(ACCUMULATOR);
    let strange = "\"<a href='x'>&amp;\u{1}\u{0}`#;|}]]>--\\\n日本 -- ".repeat(30);
    let text = |_: SwitchId| SwitchText { label: strange.clone(), guard: strange.clone(), update: strange.clone() };
    let picture = svg(&m, &text, &PictureOptions::default());
    assert!(!picture.contains("<a ") && !picture.contains('\u{1}') && !picture.contains('\u{0}'));
    assert_eq!(picture.matches('<').count(), picture.matches('>').count());
    let chart = mermaid(&m, &text, &PictureOptions::default());
    let labels = chart.lines().filter(|l| l.contains("|\"")).collect::<Vec<_>>();
    assert_eq!(labels.len(), 3);
    assert!(labels.iter().all(|l| l.matches('"').count() == 2 && !l.contains('`')), "{chart}");
    assert!(!dot(&m, &text, &PictureOptions::default()).contains("<a "));
}

#[test]
fn pictures_are_always_the_same() {
    let (a, b) = (random(40, 70, 7), random(40, 70, 7));
    assert_eq!(draw(&a), draw(&b));
}

#[test]
fn large_models_take_little_time() {
    for (locations, switches) in [(200, 380), (500, 3_000), (2_000, 5_000), (2_000, 20_000)] {
        let m = random(locations, switches, 5);
        let before = std::time::Instant::now();
        let picture = draw(&m);
        // Generous, for machines under load and code without optimisation.
        assert!(before.elapsed().as_secs() < 20, "{locations}: {:?}", before.elapsed());
        assert!(picture.len() < 10_000 * locations);
    }
}
