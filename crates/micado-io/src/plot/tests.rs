use super::axis::{Axis, Margin};
use super::ticks::text_of;
use super::*;

fn texts(low: f64, high: f64, log: bool) -> Vec<String> {
    let axis = Axis::fit([low, high].into_iter(), log, Margin::Tight, 5);
    axis.ticks.into_iter().map(|(_, text)| text).collect()
}

fn small(series: Vec<Series>) -> Chart {
    Chart { title: "chart".into(), series, size: (240, 200), ..Chart::default() }
}

#[test]
fn charts_survive_empty_and_non_finite_data() {
    let nan = f64::NAN;
    let cases = [
        vec![],
        vec![(0.0, 1.0)],
        vec![(0.0, nan), (nan, 0.0), (f64::INFINITY, 1.0), (1.0, f64::NEG_INFINITY)],
        vec![(0.0, 5.0), (1.0, nan), (2.0, 5.0)],
        vec![(0.0, 0.0), (1.0, 0.0)],
        vec![(0.0, -3.0), (0.0, 3.0)],
        vec![(0.0, f64::MAX), (1.0, f64::MIN), (2.0, 1e300), (3.0, -1e300)],
        vec![(0.0, f64::MIN_POSITIVE), (1e-320, 5e-324)],
        vec![(0.0, 1e-20), (1e-12, 3e-20)],
        vec![(1e12, 1.0), (1e12 + 1.0, 1.0 + f64::EPSILON)],
    ];
    for points in cases {
        for log in [false, true] {
            let mut chart = small(vec![Series::new("only", points.clone()), Series::default()]);
            (chart.log_x, chart.log_y) = (log, log);
            assert!(chart.to_svg().is_ok(), "{points:?}, log {log}");
            assert!(chart.to_png().is_ok(), "{points:?}, log {log}");
        }
    }
    assert!(small(vec![]).to_svg().unwrap().contains("no data"));
}

#[test]
fn files_are_written_and_errors_name_them() {
    let folder = tempfile::tempdir().unwrap();
    let chart = small(vec![Series::new("a", vec![(0.0, 0.0), (1.0, 1.0)])]);
    chart.write_svg(folder.path().join("a.svg")).unwrap();
    chart.write_png(folder.path().join("a.png")).unwrap();
    let svg = std::fs::read_to_string(folder.path().join("a.svg")).unwrap();
    assert!(svg.contains("width=\"240\" height=\"200\" viewBox=\"0 0 1920 1600\""), "{svg}");
    let file = std::io::BufReader::new(std::fs::File::open(folder.path().join("a.png")).unwrap());
    let reader = png::Decoder::new(file).read_info().unwrap();
    assert_eq!((reader.info().width, reader.info().height), (240, 200));
    let error = chart.write_svg(folder.path().join("missing/a.svg")).unwrap_err().to_string();
    assert!(error.contains("a.svg"), "{error}");
}

#[test]
fn ticks_are_round_numbers_in_short_texts() {
    assert_eq!(texts(0.0, 1.0, false), ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"].map(fix_zero));
    assert_eq!(texts(0.0, 2.4e-5, false), ["0", "5e-6", "1.0e-5", "1.5e-5", "2.0e-5"]);
    assert_eq!(texts(-2e9, 2e9, false), ["-2e9", "-1e9", "0", "1e9", "2e9"]);
    assert_eq!(texts(1e-6, 1e2, true), ["1e-6", "1e-4", "0.01", "1", "100"]);
    assert_eq!(text_of(1.2e-5, 1e-6, 1.2e-5), "1.2e-5");
    assert_eq!(text_of(1000.25, 0.25, 1001.0), "1000.2");
}

fn fix_zero(text: &str) -> String {
    if text == "0.0" { "0".into() } else { text.into() }
}

#[test]
fn a_peak_in_a_long_series_is_kept() {
    let mut points: Vec<_> = (0..100_000).map(|i| (f64::from(i), (f64::from(i) * 0.01).sin())).collect();
    points[77_777].1 = 9.0;
    points[33_333].1 = -9.0;
    let kept = reduce::decimate(points.clone());
    assert!(kept.len() <= 5000);
    assert!(kept.contains(&points[77_777]) && kept.contains(&points[33_333]));
    assert!(kept.is_sorted_by(|a, b| a.0 <= b.0));
    assert_eq!((kept[0], kept[kept.len() - 1]), (points[0], points[99_999]));
}

#[test]
fn many_series_are_distinguishable() {
    let line = |i: u32| Series::new(format!("rod {i}"), vec![(0.0, f64::from(i)), (1.0, f64::from(i))]);
    let svg = small((0..9).map(line).collect()).to_svg().unwrap();
    let colours: std::collections::BTreeSet<_> = svg
        .split("<polyline")
        .skip(1)
        .filter_map(|element| element.split("stroke=\"").nth(1)?.split('"').next())
        .collect();
    assert!(colours.len() >= 8, "{colours:?}");
}

#[test]
fn marks_are_rings_that_are_not_joined() {
    let points = vec![(0.0, 1.0), (1.0, 2.0), (2.0, 3.0)];
    let svg = Chart { series: vec![Series::marks("measured", points.clone())], ..Chart::default() }
        .to_svg()
        .expect("a chart");
    let joined = Chart { series: vec![Series::new("measured", points)], ..Chart::default() }
        .to_svg()
        .expect("a chart");
    assert_eq!(svg.matches("<circle").count(), 3);
    assert_eq!(joined.matches("<circle").count(), 0);
    assert_eq!(svg.matches("<polyline").count() + 1, joined.matches("<polyline").count());
}
