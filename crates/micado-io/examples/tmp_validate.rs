#![allow(missing_docs, clippy::print_stdout)]
fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let mut all = vec![];
    for case in micado_io::validate::select(&args).unwrap() {
        let t = std::time::Instant::now();
        let o = case.run();
        println!("{}  time {:.2} s\n", micado_io::validate::text(&o), t.elapsed().as_secs_f64());
        all.push(o);
    }
    println!("{}", micado_io::validate::summary(&all));
}
