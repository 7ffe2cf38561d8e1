//! Runs in files: what is read is what was written, whoever wrote it and in however many steps.

mod context;
mod damage;
mod merging;
mod recording;
mod suite;
mod versions;
