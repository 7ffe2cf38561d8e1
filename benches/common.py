"""Functions that the benchmarks share."""

import json
import os
import statistics
import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True

ROOT = Path(__file__).resolve().parent.parent
GCOVR = ROOT / "target" / "oracles" / "gcovr-8.7" / "bin" / "gcovr"
METACOV = ROOT / "target" / "release" / "metacov"


def measure(folder, times, command):
    """The median of several runs of a command: processor and wall seconds, and peak megabytes."""
    runs = []
    for _ in range(times):
        start = os.times().elapsed
        process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        wall = os.times().elapsed - start
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            raise SystemExit(f"{command} ended with {process.returncode}")
        runs.append({"cpu": usage.ru_utime + usage.ru_stime, "wall": wall, "peak": usage.ru_maxrss / 1000})
    return {key: statistics.median(run[key] for run in runs) for key in runs[0]}


def sqlite_source():
    """The folder of SQLite's amalgamation in the package that bundles it."""
    metadata = subprocess.run(["cargo", "metadata", "--format-version", "1", "--locked"], cwd=ROOT,
                              check=True, capture_output=True).stdout
    for package in json.loads(metadata)["packages"]:
        if package["name"] == "libsqlite3-sys":
            return Path(package["manifest_path"]).parent / "sqlite3"
    raise SystemExit("libsqlite3-sys is not among the dependencies")


def processor():
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return "unknown processor"


def check(command, folder=ROOT):
    subprocess.run([str(part) for part in command], cwd=folder, check=True, stdout=sys.stderr)


def timed(command):
    """The output of a command, and the processor seconds of all its processes."""
    before = os.times()
    done = subprocess.run([str(word) for word in command], cwd=ROOT, capture_output=True, text=True)
    after = os.times()
    if done.returncode not in (0, 6):
        raise SystemExit(f"{command} ended with {done.returncode}: {done.stderr}")
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    return done.stdout + done.stderr, cpu
