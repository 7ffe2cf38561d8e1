//! The inputs and verdicts of pairs are preserved, through interrupts and merges.

use std::sync::Arc;
use std::time::Duration;

use metacov_core::{
    Context, Exit, Failure, Group, Missing, Reading, Setup, SideOutput, SiteTable, StoredInput,
    Verdict, Violation,
};
use metacov_run::{GroupDone, Observer, SharedTable};
use metacov_store::{Run, RunWriter, merge};

use crate::suite::header;

/// Records pairs with these contexts; `None` is a side that crashed.
fn record(file: &std::path::Path, contexts: &[(u64, &Context, bool)]) {
    let recorder = RunWriter::open(file, &header(&[]), false).unwrap();
    let table = SharedTable::of(SiteTable::new(), None);
    let side = || Reading::of(&table.table());
    let group = Group::new(vec![side(), side()]).unwrap();
    let missing = Missing {
        failure: Failure::Crashed,
        exit: Exit::Signalled(11),
        output_tail: String::new(),
    };
    for (place, context, ran) in contexts {
        let done = GroupDone {
            place: *place,
            relation: "swap",
            pair: &place.to_string(),
            sides: 2,
            outcome: if *ran { Ok(&group) } else { Err((0, &missing)) },
            context,
            took: Duration::from_micros(7),
            table: &table,
        };
        recorder.on_group(&done).unwrap();
    }
    recorder.finish(true, Some(&SiteTable::new())).unwrap();
}

/// An output with executions that end in all ways.
fn output(content: &[u8]) -> SideOutput {
    let exits = vec![Exit::Success, Exit::Failure(-1), Exit::Signalled(11), Exit::Timeout];
    SideOutput { exits, content: content.to_vec(), bytes: 1 << 40 }
}

fn context(setup: &str, inputs: [&[u8]; 2], verdict: Option<Verdict>) -> Context {
    let input = |content: &&[u8]| vec![StoredInput::new("in".to_owned(), content.to_vec())];
    Context {
        setup: Some(Arc::new(Setup::new(setup.as_bytes().to_vec()))),
        inputs: inputs.iter().map(input).collect(),
        judge: verdict.is_some().then(|| "number:0.5".to_owned()),
        outputs: match &verdict {
            Some(Verdict::Violated(_)) => inputs.map(output).into(),
            _ => Vec::new(),
        },
        verdict,
    }
}

#[test]
fn contexts_survive_write_and_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let long = vec![b'x'; StoredInput::BYTES_MAX + 5];
    let violated = Verdict::Violated("a returns 2 rows, b counts 3".to_owned());
    let first = context("CREATE", [b"SELECT 1", b"\xff\0"], Some(violated));
    let second = context("CREATE", [&long, b"a\0b"], Some(Verdict::Holds));
    let third = context("DROP", [b"", b""], None);
    record(&path("a.metacov"), &[(0, &first, true), (1, &second, true)]);
    record(&path("b.metacov"), &[(0, &first, true), (2, &third, false), (3, &third, true)]);
    let check = |name: &str, contexts: &[(&str, &Context)]| {
        let run = Run::open(&path(name)).unwrap();
        let stored: Vec<_> = run.pairs().unwrap().map(Result::unwrap).collect();
        assert_eq!(stored.len(), contexts.len());
        for (stored, (pair, context)) in stored.iter().zip(contexts) {
            assert_eq!(stored.name, *pair);
            assert_eq!(stored.inputs, context.inputs);
            assert_eq!((&stored.verdict, &stored.judge), (&context.verdict, &context.judge));
            assert_eq!(stored.outputs, context.outputs);
            let setup = run.setup(stored.setup.unwrap()).unwrap();
            assert_eq!(Some(&setup), context.setup.as_deref());
        }
        let violations = run.violations().unwrap();
        let [Violation { relation, pair, how, inputs }] =
            &violations.into_values().collect::<Vec<_>>()[..]
        else {
            panic!("one pair violates its relation");
        };
        assert_eq!(
            (relation.as_str(), pair.as_str(), how.as_str()),
            ("swap", "0", "a returns 2 rows, b counts 3")
        );
        assert_eq!(*inputs, first.inputs);
    };
    check("a.metacov", &[("0", &first), ("1", &second)]);
    check("b.metacov", &[("0", &first), ("2", &third), ("3", &third)]);
    let merged = merge(&[path("b.metacov"), path("a.metacov")], &path("c.metacov")).unwrap();
    assert_eq!((merged.groups, merged.disputed), (4, 0));
    check("c.metacov", &[("0", &first), ("1", &second), ("2", &third), ("3", &third)]);
    assert!(second.inputs[0][0].is_cut() && !first.inputs[0][0].is_cut());
    assert_eq!(second.inputs[0][0].bytes, long.len() as u64);
}
