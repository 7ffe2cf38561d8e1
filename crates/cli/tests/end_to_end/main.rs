//! The binary as people run it: one test binary, a module for each thing that people rely on.

mod bad_input;
mod calculator;
mod campaigns;
mod changes;
mod compare;
mod cpp;
mod diff;
mod documents;
mod faults;
mod findings;
mod forks;
mod fuzz;
mod gcc;
mod goldens;
mod measure;
mod modes;
mod oracle;
mod outputs;
mod pages;
mod run;
mod run_files;
mod sqlite;
mod study;
mod suites;
mod trial;
mod wrappers;
