//! The table of programs. A new one is an entry here, a folder of inputs beside this file, and a
//! line in `scripts/programs`, which fetches its sources.

/// A program of other authors.
pub struct Program {
    /// The pairs of inputs are in the folder of this name: `PAIR/a.*` and `PAIR/b.*`, or as listed
    /// in the manifest `pairs.jsonl`.
    pub name: &'static str,
    /// Sources are in `target/programs/NAME-VERSION`.
    pub version: &'static str,
    /// Whether it is part of the quick form.
    pub quick: bool,
    /// The shell command that builds it without optimisation. `CC` and `CXX` are set.
    pub build_unoptimized: &'static str,
    /// The same at the level of its authors.
    pub build_own_level: &'static str,
    /// The executable, relative to the sources.
    pub executable: &'static str,
    /// `@@` stands for the input.
    pub arguments: &'static [&'static str],
    /// Whether it has threads, so that the executed code depends on their schedule.
    pub threads: bool,
}

/// All programs.
pub const PROGRAMS: &[Program] = &[
    // C, autotools: an MP3 encoder, with a static library. Inputs are short WAV and AIFF files. Its
    // configure script fails to read the version of gcc and then drops its level for gcc, so that
    // is given here.
    Program {
        name: "lame",
        version: "3.100",
        quick: true,
        build_unoptimized: "./configure --disable-shared CFLAGS=-O0 && make",
        build_own_level: "./configure --disable-shared \
             CFLAGS='-O3 -fomit-frame-pointer -ffast-math' && make",
        executable: "frontend/lame",
        arguments: &["--quiet", "@@", "-"],
        threads: false,
    },
    // C++, CMake: a SAT solver, with templates in headers.
    Program {
        name: "minisat",
        version: "2.2.0",
        quick: true,
        build_unoptimized: "CXXFLAGS=-O0 cmake -S . -B build && \
             cmake --build build --target minisat_simp",
        build_own_level: "cmake -S . -B build -DCMAKE_BUILD_TYPE=Release && \
             cmake --build build --target minisat_simp",
        executable: "build/minisat",
        arguments: &["@@"],
        threads: false,
    },
    // C, Makefile, threads: a compressor, of which only decompression is run: a second thread
    // writes the output. (Compression by several threads runs different code each time.) With
    // `-pthread`, gcc updates counters atomically; the Makefile itself passes it to the linker
    // only.
    Program {
        name: "lz4",
        version: "1.10.0",
        quick: false,
        build_unoptimized: "CFLAGS='-pthread -O0' make -C programs lz4-release",
        build_own_level: "CFLAGS=-pthread make -C programs lz4-release",
        executable: "programs/lz4",
        arguments: &["-d", "-c", "-T2", "@@"],
        threads: true,
    },
    // C++, meson: a JSON parser and writer, with a shared library.
    Program {
        name: "jsoncpp",
        version: "1.9.5",
        quick: false,
        build_unoptimized: "meson setup build --optimization=0 && \
             ninja -C build jsontestrunner",
        build_own_level: "meson setup build && ninja -C build jsontestrunner",
        executable: "build/jsontestrunner",
        arguments: &["@@"],
        threads: false,
    },
    // C++, CMake: a key-value store, of which only the tool that prints its files is run. Inputs
    // were written by LevelDB; their names say what they are. Its README builds with `Release`
    // (-O3); this is -O2, where gcc makes blocks with a location but without lines, which earlier
    // versions of metacov got wrong.
    Program {
        name: "leveldb",
        version: "1.22",
        quick: false,
        build_unoptimized: "CXXFLAGS=-O0 cmake -S . -B build \
             -DLEVELDB_BUILD_TESTS=OFF -DLEVELDB_BUILD_BENCHMARKS=OFF && \
             cmake --build build --target leveldbutil --parallel 2",
        build_own_level: "cmake -S . -B build -DCMAKE_BUILD_TYPE=RelWithDebInfo \
             -DLEVELDB_BUILD_TESTS=OFF -DLEVELDB_BUILD_BENCHMARKS=OFF && \
             cmake --build build --target leveldbutil --parallel 2",
        executable: "build/leveldbutil",
        arguments: &["dump", "@@"],
        threads: false,
    },
];
