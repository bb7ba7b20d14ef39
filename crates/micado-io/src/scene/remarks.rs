//! Remarks about valid scenes: parts without effect, and time functions that are too fast for the step.

use micado::object::rod::{Refinement, Resolution};
use micado::scene::{Action, Mode, Scene, Settings};
use micado::short::Short;
use serde_json::Value;

/// A harmonic with fewer steps in a period gets a remark: with eight, the largest sampled value may be 8 %
/// below the amplitude.
const FEW_STEPS: f64 = 8.0;

/// All remarks about a scene.
pub(super) fn remarks(scene: &Scene) -> Vec<String> {
    let mut remarks = Vec::new();
    remarks.extend(long_step(&scene.settings));
    for (name, rod) in &scene.rod {
        if rod.resolution == Resolution::Given && rod.refinement != Refinement::default() {
            remarks.push(format!(
                "rod.{name}.refinement has no effect: it bounds `resolution = \"auto\"`, which is not given"
            ));
        }
    }
    let late = scene.action.iter().enumerate().filter_map(|(k, action)| too_late(&scene.settings, k, action));
    remarks.extend(late);
    remarks.extend(pairs_without_effect(scene));
    if let Ok(tree) = serde_json::to_value(scene) {
        unseen(&tree, "", &scene.settings, &mut remarks);
    }
    remarks
}

/// Entries of `contact.pairs` without effect.
fn pairs_without_effect(scene: &Scene) -> impl Iterator<Item = String> {
    let contact = scene.contact.iter();
    let pairs =
        contact.flat_map(|contact| contact.pairs.iter().enumerate().map(move |(k, p)| (contact, k, p)));
    pairs.filter_map(|(contact, k, pair)| {
        let [a, b] = &pair.between;
        let empty = pair.between.iter().find(|name| contact.groups.get(*name).is_some_and(Vec::is_empty));
        let why = if let Some(group) = empty {
            format!("the group `{group}` is empty")
        } else if pair.touch.is_none() && pair.friction.is_none() && pair.restitution.is_none() {
            "it gives none of `touch`, `friction` and `restitution`".to_owned()
        } else if a == b && (scene.body.contains_key(a) || scene.mass.contains_key(a)) {
            format!("`{a}` doesn't touch itself")
        } else {
            return None;
        };
        Some(format!("contact.pairs[{k}] has no effect: {why}"))
    })
}

fn long_step(Settings { mode, duration, step, .. }: &Settings) -> Option<String> {
    (*mode != Mode::Static && *duration > 0.0 && *step > duration * (1.0 + 1e-9)).then(|| {
        format!(
            "the step of {} s is longer than the duration of {} s: the run is one step and ends at {} s",
            Short(*step),
            Short(*duration),
            Short(*step)
        )
    })
}

/// An action after the end of the run. Actions are applied before a step, and after the last one.
fn too_late(settings: &Settings, k: usize, action: &Action) -> Option<String> {
    let steps = (settings.duration / settings.step - 1e-9).ceil().max(0.0);
    let last = steps * settings.step;
    let at = action.at.filter(|&at| steps == 0.0 || at > last + 1e-9 * settings.step)?;
    Some(format!(
        "action[{k}] ({}) is never applied: it is due at {} s, and the run ends at {} s",
        action.edit.word(),
        Short(at),
        Short(settings.duration)
    ))
}

/// Adds remarks about the time functions in `value` that change too fast for the step: tables anywhere whose
/// only key is `harmonic` or `keyframes`.
fn unseen(value: &Value, path: &str, settings: &Settings, remarks: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            for (word, inner) in fields {
                let below = if path.is_empty() { word.clone() } else { format!("{path}.{word}") };
                if fields.len() == 1 {
                    remarks.extend(match word.as_str() {
                        "harmonic" => fast(inner, path, settings.step),
                        "keyframes" => close(inner, path, settings.step),
                        _ => None,
                    });
                }
                unseen(inner, &below, settings, remarks);
            }
        }
        Value::Array(items) => {
            let each = items.iter().enumerate();
            each.for_each(|(k, item)| unseen(item, &format!("{path}[{k}]"), settings, remarks));
        }
        _ => {}
    }
}

/// A harmonic with few steps in a period. The largest sampled value is below the amplitude by up to
/// 1 − cos(π/n) with n steps in a period; with two or fewer the samples say nothing about it.
fn fast(wave: &Value, path: &str, step: f64) -> Option<String> {
    let frequency = wave.get("frequency")?.as_f64()?.abs();
    let steps = 1.0 / (frequency * step);
    if steps.is_nan() || steps >= FEW_STEPS * (1.0 - 1e-9) {
        return None;
    }
    let lost = if steps > 2.0 {
        let share = 100.0 * (1.0 - (std::f64::consts::PI / steps).cos());
        format!("its peaks are cut by up to {} %", Short(share.round()))
    } else {
        "its swings are not seen".to_owned()
    };
    Some(format!(
        "{path}: a harmonic of {} Hz has {} steps of {} s in a period, so that {lost}; give a shorter step",
        Short(frequency),
        Short((steps * 10.0).round() / 10.0),
        Short(step)
    ))
}

/// Keyframes closer than a step.
fn close(keys: &Value, path: &str, step: f64) -> Option<String> {
    let times: Vec<f64> = keys.get("times")?.as_array()?.iter().filter_map(Value::as_f64).collect();
    let pair = times.windows(2).find(|pair| pair[1] - pair[0] < step * (1.0 - 1e-9))?;
    Some(format!(
        "{path}: the keyframes at {} s and {} s are less than a step of {} s apart, so that one of them may \
         not be seen; give a shorter step",
        Short(pair[0]),
        Short(pair[1]),
        Short(step)
    ))
}
