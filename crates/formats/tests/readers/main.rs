//! Every reader against files that real producers made, and against what those producers say of
//! the same run in another of their formats.

mod cobertura;
mod coverage_py;
mod gcc;
mod gcda;
mod go;
mod istanbul;
mod jacoco;
mod llvm_json;
mod memory;
mod sets;
mod snapshots;
