//! How executions are written in a manifest.
//!
//! A side is an input, or an object with what its execution gets, or a list of those. `judge` says
//! how the outputs of the pair must relate:
//!
//! ```text
//! {"relation": "norec", "pair": 1, "a": "1a.sql", "b": "1b.sql"}
//! {"relation": "level", "pair": 1, "a": {"input": "x", "args": ["-1"]}, "b": {"input": "x", "args": ["-9"]}}
//! {"relation": "locale", "pair": 1, "a": {"stdin": "x"}, "b": {"stdin": "x", "env": {"LANG": "C"}}}
//! {"relation": "sort", "pair": 1, "a": "1a.txt", "b": "1b.txt", "judge": "bag"}
//! ```

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use metacov_formats::ManifestSide;
use serde::Deserialize;
use serde_json::Value;

use crate::Invocation;

/// The executions of a side, as written in a manifest.
#[derive(Deserialize)]
#[serde(transparent)]
pub struct Executions(Value);

/// One execution, as written in a manifest.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Execution {
    input: Option<PathBuf>,
    #[serde(default)]
    args: Vec<String>,
    #[serde(default)]
    env: BTreeMap<String, String>,
    stdin: Option<PathBuf>,
}

impl ManifestSide for Executions {
    type Side = Vec<Invocation>;

    const HAS_OUTPUT: bool = true;

    fn side(self, folder: &Path) -> Result<Vec<Invocation>, String> {
        match self.0 {
            Value::Array(items) if items.is_empty() => {
                Err("a side without inputs is a missing side, not one that covers nothing".into())
            }
            Value::Array(items) => items.into_iter().map(|item| invocation(item, folder)).collect(),
            item => Ok(vec![invocation(item, folder)?]),
        }
    }
}

fn invocation(item: Value, folder: &Path) -> Result<Invocation, String> {
    if let Value::String(path) = item {
        return Ok(Invocation::of(folder.join(path)));
    }
    if !item.is_object() {
        return Err("an execution is the name of an input, or an object".to_owned());
    }
    let Execution { input, args, env, stdin } =
        serde_json::from_value(item).map_err(|error| error.to_string())?;
    Ok(Invocation {
        input: input.map(|path| folder.join(path)),
        arguments: args.into_iter().map(Into::into).collect(),
        environment: env.into_iter().map(|(name, value)| (name.into(), value.into())).collect(),
        stdin: stdin.map(|path| folder.join(path)),
    })
}
