//! Every reader on files of real producers, compared with another report of the same run by the
//! same producer.

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
