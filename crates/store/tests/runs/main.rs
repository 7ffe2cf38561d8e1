//! Run files: what is read equals what was written, by any number of writers and in any number of
//! steps.

mod checking;
mod context;
mod damage;
mod merging;
mod recording;
mod suite;
mod versions;
