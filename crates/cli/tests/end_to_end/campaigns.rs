//! Studies of campaigns: trials, parts of them, and their results.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use crate::run::{Run, of};
use crate::sqlite;

const STUDY: &str = r#"
kind = "campaign"
title = "Small"
engines = ["sqlite"]
guidances = ["mix", "none"]
relations = ["norec"]
repetitions = 2
pairs = 60
database_pairs = 20
beside_paper = true
differs = ["Everything."]
"#;

/// A separate folder for a test, with a study in it.
fn folder(name: &str, study: &str) -> PathBuf {
    let folder = sqlite::folder().join(name);
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("study.toml"), study).unwrap();
    folder
}

fn command(folder: &Path, words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_metacov"));
    command.env("METACOV_CACHE", sqlite::folder().join("cache")).current_dir(folder).args(words);
    for name in ["SLURM_ARRAY_TASK_ID", "JOB_COMPLETION_INDEX"] {
        command.env_remove(name);
    }
    command
}

fn metacov(folder: &Path, words: &[&str]) -> Run {
    of(&mut command(folder, words))
}

fn ids(folder: &Path) -> Vec<String> {
    let listed = metacov(folder, &["study", "plan", "study.toml", "--ids"]).ok();
    listed.stdout.lines().map(str::to_owned).collect()
}

#[test]
fn trials_do_not_depend_on_how_they_are_distributed() {
    let folder = folder("spread", STUDY);
    let whole = metacov(&folder, &["study", "run", "study.toml", "--out", "whole"]).ok();
    let title = "Q4: guidances, sqlite, relations: norec, 60 pairs each";
    assert!(whole.stdout.contains(title), "{}", whole.stdout);
    assert_eq!(whole.row(&["mix"])[..2], ["mix", "2"]);
    assert_eq!(whole.row(&["none"])[..2], ["none", "2"]);
    assert!(whole.stderr.contains("trial 4 of 4"), "{}", whole.stderr);

    let ids = ids(&folder);
    assert_eq!(ids.len(), 4);
    let run = ["study", "run", "study.toml", "--out"];
    metacov(&folder, &[&run[..], &["one", "--shard", "1/2"]].concat()).ok();
    metacov(&folder, &[&run[..], &["two", "--trial", &ids[1]]].concat()).ok();
    let words = [&run[..], &["two", "--array-from-env"]].concat();
    of(command(&folder, &words).env("JOB_COMPLETION_INDEX", "3")).ok();
    let (count, min) = ("SLURM_ARRAY_TASK_COUNT", "SLURM_ARRAY_TASK_MIN");
    let again =
        of(command(&folder, &words).env("SLURM_ARRAY_TASK_ID", "2").env(count, "4").env(min, "1"));
    assert!(again.ok().stderr.contains("continuing: 1 of 1 trial done"));

    metacov(&folder, &["merge", "-o", "both", "two", "one", "two"]).ok();
    metacov(&folder, &["study", "report", "both", "--out", "both"]).ok();
    for name in ["campaigns.csv", "bugs.csv", "sqlite-norec-bugs.svg"] {
        let [whole, both] =
            ["whole", "both"].map(|of| fs::read(folder.join(of).join(name)).unwrap());
        assert!(whole == both, "{name}");
    }
    let report = fs::read_to_string(folder.join("whole/report.md")).unwrap();
    assert!(
        report.contains("Beside the paper's Q.4") && report.contains("- Everything."),
        "{report}"
    );

    // The same holds for the run files, whatever guided them.
    let files = |parts: &[(&str, usize)]| -> Vec<String> {
        parts.iter().map(|(of, at)| format!("{of}/{}.metacov", ids[*at])).collect()
    };
    let merge = |output: &str, files: &[String]| {
        let files: Vec<&str> = files.iter().map(String::as_str).collect();
        metacov(&folder, &[&["merge", "-o", output], &files[..]].concat()).ok().stderr
    };
    merge("whole.metacov", &files(&[("whole", 0), ("whole", 1), ("whole", 2), ("whole", 3)]));
    let spread = [("two", 3), ("one", 2), ("two", 1), ("one", 0), ("whole", 3)];
    let said = merge("spread.metacov", &files(&spread));
    assert!(said.contains("1 trial is there more than once, counted once"), "{said}");
    // A run file stores how long each pair took, which no report shows.
    let report = |name: &str| {
        let run = metacov(&folder, &["report", name, "-q", "-o", &format!("{name}.json")]);
        (run.stdout, fs::read(folder.join(format!("{name}.json"))).unwrap())
    };
    assert_eq!(report("whole.metacov"), report("spread.metacov"));
}

#[test]
fn an_interrupted_trial_is_resumed() {
    let study = STUDY
        .replace("\"mix\", \"none\"", "\"none\"")
        .replace(
            "pairs = 60\ndatabase_pairs = 20",
            "pairs = 2000\ndatabase_pairs = 50\nobserve = false",
        )
        .replace("repetitions = 2", "repetitions = 1");
    let folder = folder("cut", &study);
    metacov(&folder, &["study", "run", "study.toml", "--out", "whole"]).ok();
    let id = ids(&folder).remove(0);
    let words = ["study", "run", "study.toml", "--out", "cut"];
    let mut child =
        command(&folder, &words).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let progress = folder.join(format!("cut/trials/{id}.progress"));
    for _ in 0..24_000 {
        if progress.exists() {
            break;
        }
        sleep(Duration::from_millis(5));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    // The campaign ends with its study. Until then, its run file is locked.
    let mut again = metacov(&folder, &words);
    for _ in 0..60 {
        if again.code == 0 {
            break;
        }
        assert!(again.stderr.contains("it is being written"), "{}", again.stderr);
        sleep(Duration::from_secs(1));
        again = metacov(&folder, &words);
    }
    again.ok();
    let [whole, cut] =
        ["whole", "cut"].map(|of| fs::read(folder.join(of).join("campaigns.csv")).unwrap());
    assert!(whole == cut);
    let third = metacov(&folder, &words).ok();
    assert!(third.stderr.contains("continuing: 1 of 1 trial done"), "{}", third.stderr);
}

#[test]
fn invalid_studies_of_campaigns_are_reported() {
    let folder = folder("nonsense", STUDY);
    let says = |words: &[&str], what: &str| {
        let said = metacov(&folder, &[&["study", "run", "study.toml"], words].concat()).failed(2);
        assert!(said.contains(what), "{said}");
    };
    says(&["--shard", "0/4"], "parts are counted from 1");
    says(&["--array-from-env"], "neither SLURM_ARRAY_TASK_ID (Slurm) nor JOB_COMPLETION_INDEX");
    says(&["--trial", "cafe"], "no trial of this study is cafe");
    says(&["--quick"], "--quick, --corpus and --gcovr are for studies of suites");
    let study = |text: &str, code: i32, what: &str| {
        fs::write(folder.join("other.toml"), text).unwrap();
        let said = metacov(&folder, &["study", "run", "other.toml"]).failed(code);
        assert!(said.contains(what), "{said}");
    };
    study(&STUDY.replace("\"none\"", "\"luck\""), 2, "other.toml: `luck` is not a guidance");
    study(&STUDY.replace("norec", "noreck"), 2, "other.toml: `noreck` is not a relation");
    study(&STUDY.replace("\npairs = 60", "\ncpu_time = \"1x\""), 2, "`1x` is not a time");
    study(&STUDY.replace("\npairs = 60", ""), 3, "other.toml: missing budget");
    study(&STUDY.replace("\"campaign\"", "\"campain\""), 3, "unknown `kind` \"campain\"");
}
