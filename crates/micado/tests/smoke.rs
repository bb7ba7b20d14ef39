use micado::clock::NoClock;
use micado::scene::*;
use micado::simulation::Simulation;
fn scene(json: &str) -> Scene {
    serde_json::from_str(json).unwrap()
}
#[test]
fn hanging() {
    let s = scene(
        r#"{"rod":{"cable":{"radius":0.005,"young":1e8,"density":1100,"segments":24,"shape":{"line":{"from":[0,0,0],"to":[1,0,0]}},"damping":{"mass":1.0}}},
      "constraint":{"l":{"position":{"on":"cable","at":"start"}},"r":{"position":{"on":"cable","at":"end","displacement":{"ramp":{"to":[-0.3,0,0],"end":1.0}}}}},
      "settings":{"duration":3},
      "probe":[{"name":"low","of":"cable","at":"50 %","read":"position","component":"z"},{"name":"f","of":"l","read":"force","component":"z"}]}"#,
    );
    let mut sim = Simulation::build(&s).unwrap();
    while !sim.finished() {
        let r = sim.step(&NoClock);
        if sim.steps() % 30 == 0 {
            println!("{:.2} {:?} res {:e} sub {}", sim.time(), sim.probe_values(), r.residual, r.substeps);
        }
    }
    for e in sim.events() {
        println!("{e:?}");
    }
    println!("{:?}", sim.world().energy());
}
#[test]
fn cantilever_static() {
    for alpha in [1.0, 10.0] {
        let s = scene(&format!(
            r#"{{"rod":{{"c":{{"stiffness":{{"stretch":1e6,"bend":1,"twist":1}},"mass_per_length":1,"segments":16}}}},
      "constraint":{{"l":{{"clamp":{{"on":"c","at":"start"}}}}}},
      "load":{{"p":{{"force":{{"on":"c","at":"end","force":[0,-{alpha},0]}}}}}},
      "settings":{{"mode":"static","gravity":[0,0,0]}},
      "probe":[{{"name":"x","of":"c","at":"end","read":"position","component":"x"}},{{"name":"y","of":"c","at":"end","read":"position","component":"y"}},{{"name":"m","of":"l","read":"moment"}},{{"name":"f","of":"l","read":"force"}}]}}"#
        ));
        let mut sim = Simulation::build(&s).unwrap();
        let r = sim.step(&NoClock);
        println!("{r:?}");
        println!("{:?} {:?}", sim.probe_values(), sim.events());
    }
}
#[test]
fn buckling_static() {
    let s = scene(
        r#"{"rod":{"c":{"stiffness":{"stretch":1e6,"bend":1,"twist":1},"mass_per_length":1,"segments":16,"shape":{"line":{"from":[0,0,0],"to":[0,0,1]}}}},
      "constraint":{"l":{"clamp":{"on":"c","at":"start"}}},
      "load":{"p":{"force":{"on":"c","at":"end","force":[0,0,-4.9348022]}}},
      "settings":{"mode":"static","gravity":[0,0,0]},
      "probe":[{"name":"x","of":"c","at":"end","read":"position","component":"x"},{"name":"y","of":"c","at":"end","read":"position","component":"y"},{"name":"z","of":"c","at":"end","read":"position","component":"z"}]}"#,
    );
    let mut sim = Simulation::build(&s).unwrap();
    let r = sim.step(&NoClock);
    println!("{r:?}");
    println!("{:?} {:?}", sim.probe_values(), sim.events());
}
#[test]
fn links_static() {
    let s = scene(
        r#"{"mass":{"m":{"position":[0.1,0.05,-0.3],"mass":0.5}},
      "constraint":{"l":{"distance":{"on":"m","centre":[-0.5,0,0],"distance":0.7}},"r":{"distance":{"on":"m","centre":[0.5,0,0],"distance":0.7}}},
      "settings":{"mode":"static"},
      "probe":[{"name":"z","of":"m","read":"position","component":"z"},{"name":"y","of":"m","read":"position","component":"y"},{"name":"t","of":"l","read":"tension"}]}"#,
    );
    let mut sim = Simulation::build(&s).unwrap();
    let r = sim.step(&NoClock);
    println!("{r:?}");
    println!("{:?} {:?}", sim.probe_values(), sim.events());
}
