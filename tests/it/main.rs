//! What taketwo promises its users, one module a promise. Everything here drives the real program.

mod convert_is_lossless;
mod corpus;
mod damaged_files;
mod inspect;
mod program;
