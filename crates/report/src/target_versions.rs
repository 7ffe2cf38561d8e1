//! The versions of targets, and which of them are built.

use metacov_campaign::TargetList;
use metacov_run::RunError;

/// Returns all versions of all targets, each in a line: embedded in metacov, built, or not built.
pub fn target_versions(targets: &TargetList) -> Result<String, RunError> {
    let mut lines = Vec::new();
    for target in targets.all {
        let (name, default) = (target.name(), target.default_version());
        let versions = target.versions();
        let width = versions.iter().map(|version| version.len()).max().unwrap_or(0);
        for version in versions.into_iter().rev() {
            let state = if target.is_embedded(version) {
                "embedded"
            } else {
                match target.find(version, &targets.cache)? {
                    Some(artifact) if artifact.counting.is_some() => "built",
                    Some(_) => "built, without counters",
                    None => "not built",
                }
            };
            let alias = if version == default { format!(" (also: {name})") } else { String::new() };
            lines.push(format!("{name}@{version:<width$}   {state}{alias}\n"));
        }
    }
    Ok(lines.concat())
}
