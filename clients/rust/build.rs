//! Generates the messages and the stub of the contract out of the `.proto` files.

use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let root = "../../proto";
    println!("cargo::rerun-if-changed={root}/hansa/v1");
    let files = protox::compile(["hansa/v1/play.proto"], [root])?;
    tonic_prost_build::configure().compile_fds(files)?;
    Ok(())
}
