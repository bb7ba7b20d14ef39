//! Masses on rigid links: a rope bridge of two chains.

use super::reference::Reference;
use super::stand::{Stand, Trouble};
use super::{Experiment, Plan, Readings};
use glam::DVec3;
use serde_json::json;

pub(super) const K06: Plan = Plan {
    id: "K06-bridge-discrete",
    shows: "masses held only by the tension of rigid links: two chains of distance constraints, tied to each \
            other at five nodes; statics from a start that violates every link",
    experiments: &[Experiment {
        model: "mass",
        quantities: &[
            "upper_nodes_m",
            "lower_nodes_m",
            "upper_tensions_N",
            "lower_tensions_N",
            "cross_link_tensions_N",
        ],
        measure: bridge,
    }],
};

/// Gravity, m/s²: converts the given weights to masses.
const G: f64 = 9.81;

/// One of the two chains.
struct Chain {
    name: &'static str,
    /// Length of a link, m.
    link: f64,
    /// Height of its pins, m.
    height: f64,
    /// Weight of an inner node, N.
    weight: f64,
}

impl Chain {
    fn node(&self, k: usize) -> String {
        format!("{}-{k}", self.name)
    }

    fn link(&self, k: usize) -> String {
        format!("{}-link-{k}", self.name)
    }
}

fn bridge(case: &Reference) -> Result<Readings, Trouble> {
    let (span, links) = (case.number("span")?, 2 * case.number("bays")? as usize);
    let chain = |name, length: f64, weight: f64, height| {
        let link = length / links as f64;
        Chain { name, link, height, weight: weight * link }
    };
    let chains = [
        chain("upper", case.number("L_upper")?, case.number("w_upper")?, 0.0),
        chain("lower", case.number("L_lower")?, case.number("w_lower")?, -case.number("drop")?),
    ];
    let ties: Vec<usize> = (2..links).step_by(2).collect();
    let (mut mass, mut constraint) = (json!({}), json!({}));
    for chain in &chains {
        for k in 1..links {
            let x = k as f64 / links as f64;
            // A parabola, a little out of the plane.
            let position = [span * x, chain.height - 2.0 * x * (1.0 - x), 0.01 * x];
            mass[chain.node(k)] = json!({ "position": position, "mass": chain.weight / G });
        }
        constraint[chain.link(0)] = json!({ "distance": { "on": chain.node(1), "centre": [0, chain.height, 0],
            "distance": chain.link } });
        for k in 1..links - 1 {
            constraint[chain.link(k)] = json!({ "distance": { "on": chain.node(k),
                "to": { "on": chain.node(k + 1) }, "distance": chain.link } });
        }
        constraint[chain.link(links - 1)] = json!({ "distance": { "on": chain.node(links - 1),
            "centre": [span, chain.height, 0], "distance": chain.link } });
    }
    for &k in &ties {
        constraint[format!("tie-{k}")] = json!({ "distance": { "on": chains[0].node(k),
            "to": { "on": chains[1].node(k) }, "distance": case.number("link")? } });
    }
    let mut stand = Stand::build(
        json!({ "settings": { "gravity": [0, -G, 0] }, "mass": mass, "constraint": constraint }),
    )?;
    stand.rest()?;
    let pin = |chain: &Chain, k: usize| DVec3::new(span * k as f64 / links as f64, chain.height, 0.0);
    let at = |chain: &Chain, k: usize| {
        if k == 0 || k == links { pin(chain, k) } else { stand.position(&chain.node(k)) }
    };
    let nodes = |chain: &Chain| (1..links).flat_map(|k| at(chain, k).truncate().to_array()).collect();
    // A link in tension pulls its first mass towards the other end.
    let tension = |name: &str, from: DVec3, to: DVec3| stand.force(name).dot((to - from).normalize());
    let tensions = |chain: &Chain| {
        let first = tension(&chain.link(0), at(chain, 1), at(chain, 0));
        let others = (1..links).map(|k| tension(&chain.link(k), at(chain, k), at(chain, k + 1)));
        std::iter::once(first).chain(others).collect()
    };
    Ok(vec![
        ("upper_nodes_m", nodes(&chains[0])),
        ("lower_nodes_m", nodes(&chains[1])),
        ("upper_tensions_N", tensions(&chains[0])),
        ("lower_tensions_N", tensions(&chains[1])),
        (
            "cross_link_tensions_N",
            ties.iter()
                .map(|&k| tension(&format!("tie-{k}"), at(&chains[0], k), at(&chains[1], k)))
                .collect(),
        ),
    ])
}
