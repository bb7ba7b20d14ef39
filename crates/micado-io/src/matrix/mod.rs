//! The matrix of a step, before and after its unknowns are ordered.

mod orders;

pub use orders::{Order, Scalars, rule};

use crate::plot::{Panel, Sparsity};
use micado::clock::NoClock;
use micado::constraint::Constraint;
use micado::linalg::BandLu;
use micado::run::Simulation;
use micado::step::{Owner, System};
use micado::world::Structure;
use serde::Serialize;

/// Most unknowns of objects that are drawn; with more, dots are much finer than pixels.
pub const MOST: usize = 40_000;

/// The matrix of the last step, and its picture; `None` if no step was made or the structure changed since.
pub fn of_last_step(simulation: &Simulation, scene: &str) -> Option<(Found, Sparsity)> {
    let mut again = None;
    let structure = simulation.world().structure();
    if simulation.workspace().is_split() {
        // Each island has its own system: make one more step with a system for all of them.
        let shared: &mut Simulation = again.insert(simulation.clone());
        shared.share_system();
        shared.step(&NoClock);
    }
    let system = again.as_ref().unwrap_or(simulation).workspace().system_of(structure)?;
    let scalars = Scalars::of(system, structure);
    let orders = [scalars.natural(), scalars.reordered(system), scalars.factored(system)];
    let found = find(scene, &scalars, &orders, system);
    let picture = draw(&found, &scalars, &orders, system, structure);
    Some((found, picture))
}

/// Sizes of a matrix.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Found {
    /// Name of the scene.
    pub scene: String,
    /// Rows and columns.
    pub size: usize,
    /// Unknowns of objects.
    pub unknowns: usize,
    /// Unknowns that constraints own: where they slide.
    pub own_unknowns: usize,
    /// Own unknowns of pearls, which are condensed and not drawn.
    pub condensed_unknowns: usize,
    /// Rows of constraints.
    pub rows: usize,
    /// Entries that are not zero.
    pub nonzeros: usize,
    /// Sizes in each of three orders.
    pub orders: Vec<FoundOrder>,
}

/// Sizes in one order of the unknowns.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FoundOrder {
    /// Name of the order.
    pub order: String,
    /// Largest distance of an entry from the diagonal.
    pub half_bandwidth: usize,
    /// Operations of a factorisation: an upper bound for a band LU with pivoting, exact for the sparse LDLᵀ.
    pub flops: u64,
    /// Entries of the factors: of the band, or of the sparse factor.
    pub factor_nonzeros: usize,
}

/// The sizes in words.
pub fn sizes(found: &Found) -> String {
    let some =
        |count: usize, what: &str| if count > 0 { format!(" + {count} {what}") } else { String::new() };
    let (own, condensed) = (
        some(found.own_unknowns, "sliding"),
        some(found.condensed_unknowns, "pearls that are eliminated before"),
    );
    format!("{} unknowns{own} + {} rows{condensed}", found.unknowns, found.rows)
}

fn find(scene: &str, scalars: &Scalars, orders: &[Order; 3], system: &System) -> Found {
    let count = |wanted: fn(&Owner) -> bool| scalars.owners.iter().filter(|owner| wanted(owner)).count();
    let names = [
        "as written, rows last".to_owned(),
        "reverse Cuthill–McKee".to_owned(),
        format!("{}, rows after their unknowns", rule(system)),
    ];
    let n = scalars.len();
    let band = |half: usize| (BandLu::flops(n, half), n * (3 * half + 1));
    let sparse = (system.flops(), fill(scalars, &orders[2], system).len());
    let orders = orders.iter().zip(names).enumerate().map(|(k, (order, name))| {
        let (flops, factor_nonzeros) = if k == 2 { sparse } else { band(order.half_bandwidth) };
        FoundOrder { order: name, half_bandwidth: order.half_bandwidth, flops, factor_nonzeros }
    });
    Found {
        scene: scene.to_owned(),
        size: n,
        unknowns: count(|owner| matches!(owner, Owner::Object(_))),
        own_unknowns: count(|owner| matches!(owner, Owner::Own(_))),
        condensed_unknowns: system.condensed_unknowns(),
        rows: count(|owner| matches!(owner, Owner::Row(_) | Owner::Length(_))),
        nonzeros: scalars.count_entries(),
        orders: orders.collect(),
    }
}

/// Entries of the sparse factor, both triangles, by positions.
fn fill(scalars: &Scalars, order: &Order, system: &System) -> Vec<(u32, u32)> {
    let symbolic = system.symbolic();
    // Positions of the scalars of each node, in the order of the factor.
    let mut of_node: Vec<Vec<u32>> = vec![Vec::new(); symbolic.nodes()];
    for (scalar, &node) in scalars.nodes().iter().enumerate() {
        of_node[node].push(order.position[scalar]);
    }
    let at = |p: u32| &of_node[symbolic.order()[p as usize] as usize];
    let mut pairs = Vec::new();
    for p in 0..symbolic.nodes() as u32 {
        for &q in symbolic.factor_row(p as usize) {
            for &i in at(p) {
                for &j in at(q) {
                    pairs.push((i, j));
                    if p != q {
                        pairs.push((j, i));
                    }
                }
            }
        }
    }
    pairs
}

/// Warm colours for objects, as in the papers.
const OBJECTS: [[u8; 3]; 6] = [
    [0xd9, 0x48, 0x2b],
    [0xf0, 0x9a, 0x1a],
    [0xb8, 0x2e, 0x5e],
    [0xe8, 0xc2, 0x2e],
    [0x8c, 0x4a, 0x2f],
    [0xf2, 0x72, 0x72],
];
const BETWEEN: [u8; 3] = [0x6b, 0x73, 0x7d];
const SLIDING: [u8; 3] = [0x7a, 0x5c, 0xa8];
const ABSOLUTE: [u8; 3] = [0x2e, 0x9a, 0x57];
const RELATIVE: [u8; 3] = [0x2b, 0x6c, 0xb0];
const LENGTHS: [u8; 3] = [0x1f, 0x8a, 0x8a];
/// Number of objects with their own line in the legend.
const NAMED: usize = 8;

fn draw(
    found: &Found,
    scalars: &Scalars,
    orders: &[Order; 3],
    system: &System,
    structure: &Structure,
) -> Sparsity {
    let objects = &structure.objects;
    let mut groups: Vec<(String, [u8; 3])> = objects
        .iter()
        .take(NAMED)
        .enumerate()
        .map(|(k, object)| (object.name.clone(), OBJECTS[k % OBJECTS.len()]))
        .collect();
    if objects.len() > NAMED {
        groups = (0..OBJECTS.len()).map(|k| (String::new(), OBJECTS[k])).collect();
        groups[0].0 = format!("{} objects, in turn", objects.len());
    }
    let colours = groups.len();
    groups.extend([
        ("between objects".to_owned(), BETWEEN),
        ("where constraints slide".to_owned(), SLIDING),
        ("absolute constraints".to_owned(), ABSOLUTE),
        ("relative constraints".to_owned(), RELATIVE),
        ("lengths of edges".to_owned(), LENGTHS),
    ]);
    // A constraint that slipped off in the last step is no longer in the structure.
    let row_group = |k: usize| {
        colours + if structure.constraints.get(k).is_some_and(Constraint::is_relative) { 3 } else { 2 }
    };
    let group = |i: u32, j: u32| match (scalars.owners[i as usize], scalars.owners[j as usize]) {
        (Owner::Row(k), _) | (_, Owner::Row(k)) => row_group(k),
        (Owner::Length(_), _) | (_, Owner::Length(_)) => colours + 4,
        (Owner::Own(_), _) | (_, Owner::Own(_)) => colours + 1,
        (Owner::Object(a), Owner::Object(b)) if a == b => a % colours,
        _ => colours,
    };
    let coloured: Vec<(u32, u32, usize)> =
        scalars.entries.iter().map(|&(i, j)| (i, j, group(i, j))).collect();
    let used: Vec<bool> = (0..groups.len()).map(|k| coloured.iter().any(|entry| entry.2 == k)).collect();
    let panels = orders.iter().zip(&found.orders).enumerate().map(|(k, (order, told))| {
        let place = |&(i, j, group): &(u32, u32, usize)| {
            let (p, q) = (order.position[i as usize], order.position[j as usize]);
            if p == q { vec![(p, q, group)] } else { vec![(p, q, group), (q, p, group)] }
        };
        let solver = if k == 2 { "sparse LDLᵀ" } else { "band LU" };
        Panel {
            size: found.size,
            entries: coloured.iter().flat_map(place).collect(),
            fill: if k == 2 { fill(scalars, order, system) } else { Vec::new() },
            caption: vec![
                told.order.clone(),
                format!("half bandwidth {}", told.half_bandwidth),
                format!("{solver}: {:.1e} operations", told.flops as f64),
            ],
        }
    });
    let panels = panels.collect();
    // Groups without entries keep their number but are not in the legend.
    let groups = groups
        .into_iter()
        .zip(used)
        .map(|((name, colour), used)| (if used { name } else { String::new() }, colour))
        .collect();
    Sparsity {
        title: format!("{}: {}, {} entries", found.scene, sizes(found), found.nonzeros),
        groups,
        panels,
    }
}
