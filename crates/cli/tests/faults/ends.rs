//! Metacov is killed or asked to end at any moment, and loses nothing.

#![expect(clippy::print_stderr, reason = "measurements are printed")]

use std::process::{Child, Command};
use std::time::Duration;

use crate::campaign::Campaign;
use crate::processes::{now, users};
use crate::times;
use crate::trial::wait_until;

fn signal(child: &Child, name: &str) {
    assert!(Command::new("kill").args([name, &child.id().to_string()]).status().unwrap().success());
}

#[test]
fn fault_19_a_campaign_that_is_killed_at_any_moment_resumes_to_the_same_result() {
    let campaign = Campaign::new(19, 1);
    let options = ["--count", "100", "--seed", "3", "-j", "2", "-q"];
    let start = now();
    campaign.run("whole.metacov", &options);
    let took = start.elapsed();
    let (expected, found) = (campaign.report("whole.metacov"), campaign.findings("whole.metacov"));
    assert!(!found.is_empty());
    let resume = [&options[..], &["--resume"]].concat();
    let mut seed = 0x2545_f491_u64;
    let (kills, mut cut) = (times(10, 200), 0);
    for kill in 0..kills {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let mut child = campaign.start("cut.metacov", &resume);
        let part = f64::from(u32::try_from(seed >> 40).unwrap()) / f64::from(1 << 24);
        // Five of them resume each other, and all should hit a running campaign.
        std::thread::sleep(took.mul_f64(part / 6.0));
        cut += usize::from(child.try_wait().unwrap().is_none());
        child.kill().unwrap();
        child.wait().unwrap();
        // From time to time it finishes, and the next begins.
        if kill % 5 == 4 || kill + 1 == kills {
            campaign.run("cut.metacov", &resume);
            assert_eq!(campaign.report("cut.metacov"), expected, "after kill {kill}");
            assert_eq!(campaign.findings("cut.metacov"), found, "after kill {kill}");
            std::fs::remove_file(campaign.path().join("cut.metacov")).unwrap();
            std::fs::remove_dir_all(campaign.path().join("cut.findings")).unwrap();
        }
    }
    eprintln!(
        "fault 19: {cut} of {kills} kills hit a campaign in its course, which takes {took:.1?}"
    );
    assert!(cut * 3 >= kills, "{cut} of {kills}");
    let library = campaign.path().canonicalize().unwrap().join("libfaulty.so");
    wait_until(|| users(&library) == 0);
}

/// The goal is two seconds, which is measured; the assertion leaves room for a shared machine.
#[test]
fn fault_20_a_campaign_that_is_asked_to_end_does_so_and_can_be_resumed() {
    let options = ["--duration", "600s", "--no-findings", "--timeout", "300", "-j", "2"];
    for (name, code) in [("-INT", 130), ("-TERM", 143), ("-HUP", 129)] {
        // A healthy engine, and one that hangs.
        for fault in [0, 3] {
            let campaign = Campaign::new(fault, 40);
            let child = campaign.start("run.metacov", &options);
            wait_until(|| campaign.path().join("run.metacov").exists());
            std::thread::sleep(Duration::from_millis(700));
            let start = now();
            signal(&child, name);
            let output = child.wait_with_output().unwrap();
            let took = start.elapsed();
            let said = String::from_utf8_lossy(&output.stderr);
            eprintln!("fault 20: {name}, fault {fault}: {took:.2?}");
            assert_eq!(output.status.code(), Some(code), "{name}, fault {fault}: {said}");
            assert!(took < Duration::from_secs(20), "{took:?}");
            if fault == 0 {
                let go_on = ["--count", "20", "--no-findings", "--resume"];
                campaign.run("run.metacov", &go_on);
            }
        }
    }
    let campaign = Campaign::new(0, 1);
    let child = campaign.start("run.metacov", &options);
    wait_until(|| campaign.path().join("run.metacov").exists());
    let start = now();
    signal(&child, "-TERM");
    let _ = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    let code = child.wait_with_output().unwrap().status.code().unwrap();
    eprintln!("fault 20: two signals: {:.2?}", start.elapsed());
    assert!([130, 143].contains(&code), "{code}");
}
