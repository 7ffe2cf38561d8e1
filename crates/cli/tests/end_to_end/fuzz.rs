//! Campaigns, as users run them.

use std::fs;

use crate::sqlite::{faulty, folder, in_folder};

/// A small campaign on an SQLite that treats NULL as the wrong truth value.
fn fuzz(name: &str, options: &[&str]) -> crate::run::Run {
    let _ = fs::remove_file(folder().join(name));
    again(name, options)
}

fn again(name: &str, options: &[&str]) -> crate::run::Run {
    let small = ["--database-pairs", "60", "--patience", "15", "--library", faulty()];
    in_folder(&[&["fuzz", "-o", name], &small[..], options].concat())
}

fn findings(name: &str) -> Vec<String> {
    let folder = folder().join(name).with_extension("findings");
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
    let mut names: Vec<String> = entries.map(|name| name.into_string().unwrap()).collect();
    names.sort_unstable();
    names
}

/// The output of the campaign, without the name of the file.
fn output(run: &crate::run::Run, name: &str) -> String {
    let stem = name.trim_end_matches(".metacov");
    format!("{}{}", run.stdout, run.stderr).replace(stem, "NAME")
}

#[test]
fn a_seed_determines_the_campaign_for_any_workers_and_interrupts() {
    let what = ["--relation", "norec,tlp-having", "-q"];
    let pairs = [&what[..], &["--count", "300"]].concat();
    let alone = fuzz("alone.metacov", &[&pairs[..], &["-j", "1"]].concat());
    assert_eq!(alone.code, 6, "{}", alone.stderr);
    let found = findings("alone.metacov");
    assert!(!found.is_empty());
    fuzz("crowd.metacov", &[&pairs[..], &["-j", "3"]].concat());
    fuzz("parts.metacov", &[&what[..], &["--count", "120"]].concat());
    again("parts.metacov", &[&pairs[..], &["--resume"]].concat());
    let report = |name: &str| output(&in_folder(&["report", name]), name);
    let whole = report("alone.metacov");
    for name in ["crowd.metacov", "parts.metacov"] {
        assert_eq!(report(name), whole);
        assert_eq!(findings(name), found);
    }
    // A finding is a folder that reproduces it.
    let folder = format!("alone.findings/{}", found[0]);
    let script = fs::read_to_string(self::folder().join(&folder).join("reproduce.sql")).unwrap();
    assert!(script.contains(".print side a:"), "{script}");
    assert_eq!(in_folder(&["replay", &folder, "--library", faulty()]).code, 6);
}

/// The same holds if there are more workers than rounds that may run at once.
#[test]
fn many_workers_run_the_same_campaign() {
    let report = |name: &str, jobs: &str| {
        let small = ["--count", "300", "--database-pairs", "15", "--patience", "5", "-j", jobs];
        let run = in_folder(&[&["fuzz", "--no-findings", "-o", name], &small[..]].concat());
        assert_eq!(run.code, 0, "{}", run.stderr);
        let is_more = run.stderr.contains("note: -j 12: a campaign has 8 workers at most\n");
        assert_eq!(is_more, jobs == "12", "{}", run.stderr);
        output(&in_folder(&["report", name]), name)
    };
    let _ = fs::remove_file(folder().join("few.metacov"));
    let _ = fs::remove_file(folder().join("many.metacov"));
    assert_eq!(report("many.metacov", "12"), report("few.metacov", "1"));
}

#[test]
fn each_guidance_observes_what_it_needs() {
    let seen = |options: &[&str]| {
        let common = ["--count", "120", "--no-findings", "--relation", "norec,tlp-where"];
        let run = fuzz("guided.metacov", &[&common[..], options].concat());
        assert_eq!(run.code, 0, "{}", run.stderr);
        (run.stderr.contains("query plans"), run.stderr.contains("edges differ"))
    };
    assert_eq!(seen(&["--guidance", "none"]), (false, false));
    // It keeps no pairs, so there is nothing to write.
    in_folder(&["report", "guided.metacov"]).ok();
    let run = in_folder(&["report", "guided.metacov", "-o", "guided.md"]);
    assert_eq!(run.code, 1, "{}", run.stderr);
    assert!(run.stderr.contains("cannot write guided.md: guided.metacov has no"), "{}", run.stderr);
    assert_eq!(seen(&["--guidance", "none", "--observe"]), (true, true));
    assert_eq!(seen(&["--guidance", "qpg"]), (true, false));
    assert_eq!(seen(&["--guidance", "ccg"]), (false, true));
    assert_eq!(seen(&["--guidance", "mcg"]), (false, true));
    // It observes plans when code brings nothing new, which is later.
    assert_eq!(seen(&["--guidance", "mix"]), (false, true));
}

#[test]
fn observing_does_not_change_the_campaign() {
    for guidance in ["none", "qpg", "mcg", "mix"] {
        let counted = |options: &[&str]| {
            let common = ["--count", "300", "--no-findings", "--guidance", guidance];
            fuzz("observed.metacov", &[&common[..], options].concat()).stdout
        };
        assert_eq!(counted(&[]), counted(&["--observe"]), "{guidance}");
    }
}

#[test]
fn known_bugs_are_counted_and_not_reported() {
    let known = folder().join("known.toml");
    fs::write(&known, "[[bug]]\nname = \"NULL\"\nwords = [\"SELECT\"]\n").unwrap();
    let run =
        fuzz("known.metacov", &["--count", "60", "--relation", "norec", "--known", "known.toml"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(run.stderr.contains("known: NULL, "), "{}", run.stderr);
    fs::write(&known, "[[bug]]\nname = \"all\"\n").unwrap();
    let said = fuzz("known.metacov", &["--count", "120", "--known", "known.toml"]).failed(3);
    assert!(said.contains("known.toml") && said.contains("`all` has neither"), "{said}");
}

#[test]
fn a_campaign_ends_at_its_limits() {
    let run =
        fuzz("ended.metacov", &["--stop-after-findings", "1", "--relation", "norec", "-j", "1"]);
    assert_eq!(run.code, 6, "{}", run.stderr);
    assert!(run.stderr.contains("bug"), "{}", run.stderr);
    let run = fuzz("ended.metacov", &["--cpu-time", "1s", "--no-findings"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let run = fuzz("ended.metacov", &["--duration", "1s", "--no-findings"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
}

#[test]
fn another_campaign_is_not_resumed() {
    fuzz("begun.metacov", &["--count", "60", "--no-findings"]);
    let said = again("begun.metacov", &["--count", "60", "--no-findings"]).failed(1);
    assert!(said.contains("begun.metacov") && said.contains("--resume"), "{said}");
    let other = ["--count", "120", "--no-findings", "--resume", "--seed", "2"];
    let said = again("begun.metacov", &other).failed(3);
    assert!(said.contains("--seed 1, not 2"), "{said}");
    let said = again("begun.metacov", &["--guidance", "nonsense"]).failed(2);
    assert!(said.contains("`nonsense` is not a guidance (none, qpg, ccg, mcg, mix)"), "{said}");
    let said = in_folder(&["fuzz", "--duration", "soon"]).failed(2);
    assert!(said.contains("is not a time such as 90s"), "{said}");
    let said = in_folder(&["fuzz", "--patience", "0"]).failed(2);
    assert!(said.contains("at least 1"), "{said}");
}
