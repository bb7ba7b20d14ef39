//! Every reference case passes, and the JSON form keeps its contract.

use micado_io::validate;

/// The ids of all cases.
const IDS: [&str; 36] = [
    "C01-cantilever-small",
    "C02-bisshopp-drucker",
    "C03-heavy-elastica",
    "E01-euler-loads",
    "E03-postbuckling-pinned",
    "B01-rollup",
    "B02-bend45-kirchhoff",
    "B03-bend45-reissner",
    "H01-helical-spring",
    "T01-michell-ring",
    "T03-localised-buckling",
    "R01-bend-twist-boundary",
    "R02-bend-twist-shape",
    "K01-catenary-level",
    "K03-elastic-catenary",
    "K06-bridge-discrete",
    "V01-cantilever-modes",
    "V04-string-axial",
    "V05-hanging-chain",
    "D01-pendulum-large",
    "Q01-pin-plane-axis",
    "Q02-link-triangle",
    "Q04-keyhole-heavy-cable",
    "P01-pearl-incline",
    "P03-pearl-collision",
    "G01-free-asymmetric-body",
    "G03-bounce",
    "F01-block-incline",
    "F03-stack-pull",
    "F05-rolling",
    "Q06-capstan",
    "O01-order-der",
    "O03-order-time",
    "N01-locking-table",
    "N02-greenhill",
    "N03-quarter-ring",
];

#[test]
fn the_cases_are_those_listed() {
    assert_eq!(validate::all().iter().map(validate::Case::id).collect::<Vec<_>>(), IDS);
}

/// Runs cases and returns the number of compared values.
#[track_caller]
fn pass(cases: impl Iterator<Item = validate::Case>) -> usize {
    let mut numbers = 0;
    let mut failures = String::new();
    for case in cases {
        let outcome = case.run();
        numbers += outcome.rows.len();
        if !outcome.passes() {
            failures += &validate::text(&outcome);
        }
    }
    assert!(failures.is_empty(), "{failures}");
    numbers
}

/// The capstan takes as long as all other cases.
const CAPSTAN: &str = "Q06-capstan";

#[test]
fn every_reference_case_passes() {
    assert_eq!(pass(validate::all().into_iter().filter(|case| case.id() != CAPSTAN)), 621);
}

#[test]
fn ropes_and_chains_round_a_cylinder_hold_as_in_the_reference() {
    assert_eq!(pass(validate::all().into_iter().filter(|case| case.id() == CAPSTAN)), 48);
}

#[test]
fn the_json_form_has_the_keys_of_the_contract() {
    let cases = validate::select(&["Q02".to_owned(), "N03".to_owned()]).unwrap();
    let rows: Vec<validate::Row> = cases.iter().flat_map(|case| case.run().rows).collect();
    let json = serde_json::to_value(&rows).unwrap();
    let array = json.as_array().unwrap();
    assert_eq!(array.len(), 5);
    for row in array {
        let mut keys: Vec<&str> = row.as_object().unwrap().keys().map(String::as_str).collect();
        keys.sort_unstable();
        assert_eq!(keys, ["case", "expected", "measured", "model", "pass", "quantity", "tolerance"]);
        assert!(
            row["pass"].is_boolean()
                && row["measured"].is_f64()
                && row["expected"].is_f64()
                && row["tolerance"].is_f64()
        );
    }
    assert_eq!(array[0]["case"], "Q02-link-triangle");
    assert_eq!(array[0]["model"], "mass");
    assert_eq!(array[0]["quantity"], "depth_m");
    assert_eq!(array[2]["quantity"], "compliance[0]");
}
