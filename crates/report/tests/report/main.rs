//! Reports of suites, runs, campaigns and studies that are built by hand: no process, no compiler.

mod campaigns;
mod committed;
mod comparison;
mod digest;
mod exports;
mod mutants;
mod pages;
mod pairs;
mod plots;
mod study;
mod support;
mod suspects;
mod tables;
