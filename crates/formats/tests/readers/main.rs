//! Every reader against files that real producers made, and against what those producers say of
//! the same run in another of their formats.

mod cobertura;
mod gcc;
mod go;
mod jacoco;
mod sets;
