//! Whatever a target does, metacov continues, reports what happened, measures the other pairs
//! correctly and leaves no processes or files.

use std::fs;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::processes::descendants;
use crate::run::of;
use crate::trial::{Trial, Way, built, compile, wait_until};

/// A pair that cannot be measured, between two that can, in all modes.
#[track_caller]
fn check_failing(side: &str, why: &str, ways: &[Way], options: &[&str]) {
    let trial = Trial::new("endings", &[("4", "6"), (side, "4"), ("4", "7"), ("4", "8")]);
    for way in ways {
        let measured = trial.measure(*way, &[&["-j", "1"], options].concat());
        assert_eq!(measured.failed(), [(why, 1)], "{way:?}");
        assert_eq!(measured.pairs(), 3, "{way:?}");
        assert_eq!(measured.functions(), ["even", "odd"], "{way:?}: the next pair");
        assert!(trial.processes().is_empty(), "{way:?}");
    }
}

/// A side that is measured, and the functions that it runs in addition.
#[track_caller]
fn check_measured(side: &str, functions: &[&str], ways: &[Way], options: &[&str]) {
    let trial = Trial::new("endings", &[(side, "4"), ("6", "4")]);
    for way in ways {
        let measured = trial.measure(*way, &[&["-j", "1"], options].concat());
        assert_eq!(measured.failed(), [], "{way:?}");
        assert_eq!(measured.functions(), functions, "{way:?}");
        assert!(trial.processes().is_empty(), "{way:?}");
    }
}

#[test]
fn fault_01_a_side_that_crashes_is_counted_and_the_next_is_measured() {
    check_failing("segv", "crashed", &Way::ALL, &[]);
}

#[test]
fn fault_01_a_side_that_aborts_is_counted() {
    check_failing("abort", "crashed", &Way::ALL, &[]);
}

#[test]
fn fault_01_a_side_that_kills_itself_is_counted() {
    check_failing("kill", "crashed", &Way::ALL, &[]);
}

#[test]
fn fault_03_a_side_that_hangs_and_ignores_sigterm_is_ended() {
    check_failing("hang", "timed out", &Way::ALL, &["--timeout", "0.5"]);
}

#[test]
fn fault_04_a_side_that_takes_too_much_processor_time_is_ended() {
    let ways = [Way::Exec, Way::Fork, Way::ForkLibrary];
    check_failing("spin", "timed out", &ways, &["--cpu-timeout", "1", "--timeout", "30"]);
    let inline = Trial::new("endings", &[("4", "6")]);
    let said = of(&mut inline.command(Way::Inline, &["--cpu-timeout", "1"])).failed(3);
    assert!(said.contains("processor time is limited by process"), "{said}");
}

#[test]
fn a_library_can_reject_an_input() {
    check_failing("return -1", "invalid", &[Way::ForkLibrary, Way::Inline], &[]);
}

#[test]
fn codes_that_are_not_valid_are_counted() {
    check_failing("return 3", "invalid", &Way::ALL, &["--valid-exit", "0"]);
    check_measured("return 3", &["even"], &Way::ALL, &["--valid-exit", "0,3"]);
    check_measured("exit 3", &["even"], &Way::ALL, &[]);
}

#[test]
fn fault_02_what_ran_before_a_sudden_end_counts() {
    check_measured("vanish", &["even", "vanishing"], &Way::ALL, &[]);
}

#[test]
fn fault_09_memory_is_limited() {
    check_measured("memory 256", &["limited", "memory"], &Way::ALL, &["--memory", "128M"]);
    check_measured("memory 64", &["memory"], &Way::ALL, &["--memory", "512M"]);
}

#[test]
fn files_are_limited() {
    check_measured("file", &["fill_file", "limited"], &Way::ALL, &[]);
}

#[test]
fn fault_06_a_daemon_is_gone_after_the_execution_that_made_it_and_has_counted() {
    check_measured("daemon", &["become_daemon", "forked"], &Way::ALL, &[]);
}

#[test]
fn fault_11_output_fills_neither_memory_nor_disk() {
    let trial = Trial::new("endings", &[("print 10000000000", "4")]);
    let metacov = trial.command(Way::Exec, &["-j", "1", "--timeout", "300"]);
    // The limits of everything.
    let mut limited = Command::new("sh");
    limited.args(["-c", "ulimit -v 8000000; ulimit -f 100000; exec \"$0\" \"$@\""]);
    limited.arg(metacov.get_program()).args(metacov.get_args()).current_dir(trial.folder());
    assert_eq!(trial.outcome(&mut limited).functions(), ["going_on", "print_bytes"]);
    check_measured("print 1000000", &["going_on", "print_bytes"], &Way::ALL, &[]);
}

#[test]
fn fault_12_output_of_a_target_does_not_control_the_terminal() {
    let trial = Trial::new("endings", &[("escape", "4")]);
    for way in Way::ALL {
        let run = trial.measure(way, &[]).run;
        let plain = |text: &str| text.chars().all(|letter| letter == '\n' || !letter.is_control());
        assert!(plain(&run.stdout) && plain(&run.stderr), "{run:?}");
    }
    check_measured("escape", &["going_on"], &Way::ALL, &[]);
}

#[test]
fn fault_17_a_target_may_close_all_descriptors() {
    check_measured("close", &["going_on"], &Way::ALL, &[]);
}

#[test]
fn fault_17_a_target_may_change_its_folder() {
    let trial = Trial::new("endings", &[("move", "4"), ("6", "7")]);
    for way in Way::ALL {
        let measured = trial.measure(way, &["-j", "1"]);
        assert_eq!(measured.functions(), ["even", "going_on", "odd"], "{way:?}");
    }
}

#[test]
fn a_missing_or_uninstrumented_program_is_an_error() {
    let trial = Trial::new("endings", &[("4", "6")]);
    let said = of(&mut trial.command_for("./nowhere".as_ref(), &[])).failed(3);
    assert!(said.contains("./nowhere: no such program"), "{said}");
    let said = of(&mut trial.command_for("/bin/true".as_ref(), &[])).failed(3);
    assert!(said.contains("left no counters"), "{said}");
    for (name, mode) in [("/bin/true", "fork"), ("./nowhere.so", "inline")] {
        let said = of(&mut trial.command_for(name.as_ref(), &["--mode", mode])).failed(3);
        assert!(said.contains(name), "{said}");
    }
}

#[test]
fn an_unknown_gcc_is_refused_by_its_version() {
    let trial = Trial::new("unknown", &[("4", "6")]);
    let said = of(&mut trial.command(Way::Exec, &[])).failed(3);
    assert!(said.contains("compiled by a gcc that is not known, version Z99*"), "{said}");
}

#[test]
fn fault_05_processes_of_a_target_count_together() {
    let cases: [(&str, &[&str]); 7] = [
        ("forks", &["in_child", "in_parent", "wait_for_all"]),
        ("outlives", &["in_child", "in_parent", "late_in_child"]),
        ("daemon", &["in_daemon", "wait_for_all"]),
        ("exec", &["after_exec", "become", "before"]),
        ("other", &["become", "before"]),
        ("spawns", &["after_exec", "in_child", "wait_for_all"]),
        ("without-files", &["in_child", "wait_for_all"]),
    ];
    for (input, functions) in cases {
        let trial = Trial::new("family", &[(input, "nothing"), ("nothing", "nothing")]);
        for way in [Way::Exec, Way::Fork] {
            let measured = trial.measure(way, &["-j", "1"]);
            assert_eq!(measured.failed(), [], "{input}, {way:?}");
            assert_eq!(measured.functions(), functions, "{input}, {way:?}");
            assert!(trial.processes().is_empty(), "{input}, {way:?}");
        }
    }
}

/// Lost counts do not add up, and would be refused.
#[test]
fn threads_count_together() {
    let trial = Trial::new("threads", &[("2", "0"), ("4", "1")]);
    for way in [Way::Exec, Way::Fork] {
        let measured = trial.measure(way, &["--repeat", "3"]);
        assert_eq!(measured.failed(), [], "{way:?}");
        assert_eq!(measured.functions(), ["hammer", "is_odd"], "{way:?}");
        assert_eq!(measured.document["total"]["summary"]["line"]["flaky"], 0);
    }
}

#[test]
fn fault_39_a_target_cannot_cut_the_memory_of_its_counters() {
    check_measured("truncate", &["limited", "truncate_counters"], &Way::ALL, &[]);
}

#[test]
fn fault_40_a_thread_that_crashes_after_its_input_is_counted() {
    check_failing("thread", "crashed", &[Way::Inline], &[]);
}

#[test]
fn fault_41_a_side_whose_counters_do_not_fit_is_counted() {
    let trial = Trial::new("endings", &[("4", "6"), ("forks 1000", "4"), ("4", "7")]);
    for way in Way::ALL {
        let metacov = trial.command(way, &["-j", "1"]);
        // No file may be larger, including shared memory.
        let mut limited = Command::new("sh");
        limited.args(["-c", "ulimit -f 1000; exec \"$0\" \"$@\""]);
        limited.arg(metacov.get_program()).args(metacov.get_args()).current_dir(trial.folder());
        let measured = trial.outcome(&mut limited);
        assert_eq!(measured.failed(), [("no counters", 1)], "{way:?}");
        let said = &measured.run.stderr;
        assert!(said.contains("side a: its counters do not fit into memory"), "{way:?}: {said}");
        assert_eq!((measured.pairs(), measured.functions()), (2, vec!["even", "odd"]), "{way:?}");
    }
}

#[test]
fn fault_42_a_side_whose_supervisor_is_killed_is_counted_and_the_next_is_measured() {
    for way in Way::ALL {
        let trial = Trial::new("endings", &[("4", "6"), ("hang", "4"), ("4", "7"), ("4", "8")]);
        let mut metacov = trial.command(way, &["-j", "1", "--timeout", "600"]);
        let metacov = metacov.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        wait_until(|| trial.folder().join("hanging").exists());
        let all = descendants(metacov.id());
        let supervisor = all.iter().find(|(_, words)| words.contains("exe supervise "));
        let (supervisor, _) = supervisor.unwrap_or_else(|| panic!("{all:?}"));
        Command::new("kill").args(["-9", &supervisor.to_string()]).status().unwrap();
        let output = metacov.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{way:?}: {said}");
        assert!(said.contains("supervisor of its processes was killed"), "{way:?}: {said}");
        let measured = trial.result();
        assert_eq!(measured["total"]["failed"]["did not run"], 1, "{way:?}");
        assert_eq!(measured["total"]["pairs"], 3, "{way:?}");
        wait_until(|| trial.processes().is_empty());
    }
}

#[test]
fn fault_43_a_helper_that_is_started_by_hand_refuses() {
    let folder = tempfile::tempdir().unwrap();
    let kept = folder.path().join("kept");
    fs::write(&kept, "").unwrap();
    let words = [
        vec!["supervise", folder.path().to_str().unwrap()],
        vec!["work"],
        vec!["load", "--", "x.so"],
    ];
    for words in words {
        for stdin in [Stdio::null(), Stdio::piped()] {
            let mut command = Command::new(env!("CARGO_BIN_EXE_metacov"));
            let output = command.args(&words).stdin(stdin).output().unwrap();
            let said = String::from_utf8(output.stderr).unwrap();
            assert_eq!(output.status.code(), Some(1), "{words:?}: {said}");
            assert!(said.contains("only metacov itself starts this command"), "{words:?}: {said}");
            assert!(kept.exists(), "{words:?}");
        }
    }
}

#[test]
fn fault_35_a_target_that_is_rebuilt_ends_the_run() {
    let trial = Trial::new("endings", &[("4", "7"), ("hang", "4"), ("4", "6")]);
    let program = compile("endings", false, &trial.folder());
    let options = ["-j", "1", "--timeout", "2"];
    let mut metacov = trial.command_for(&program, &options);
    let metacov = metacov.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    wait_until(|| trial.processes().iter().any(|words| words.contains("1/a.txt")));
    // A linker removes the old file first, so that may still run.
    fs::remove_file(&program).unwrap();
    compile("endings", false, &trial.folder());
    let output = metacov.wait_with_output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(4), "{said}");
    assert!(said.contains(program.to_str().unwrap()), "{said}");
}

#[test]
fn fault_19_nothing_outlives_metacov_however_it_ends() {
    for way in Way::ALL {
        for signal in ["-KILL", "-INT", "-TERM"] {
            let trial = Trial::new("endings", &[("4", "7"), ("hang", "4")]);
            let mut metacov = trial.command(way, &["-j", "1", "--timeout", "600"]);
            let metacov = metacov.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
            let target = built("endings", matches!(way, Way::ForkLibrary | Way::Inline));
            let name = target.to_str().unwrap();
            // The target, its server, and the supervisor; metacov has the name too.
            wait_until(|| {
                trial.processes().iter().filter(|words| words.contains(name)).count() >= 2
            });
            std::thread::sleep(Duration::from_millis(300));
            let id = metacov.id().to_string();
            assert!(Command::new("kill").args([signal, &id]).status().unwrap().success());
            let output = metacov.wait_with_output().unwrap();
            wait_until(|| trial.processes().is_empty());
            let said = String::from_utf8_lossy(&output.stderr);
            let is_kept = said.contains("interrupted: the numbers are of 1 of 2 pairs");
            assert_eq!(is_kept, signal != "-KILL", "{way:?} {signal}: {said}");
        }
    }
}
