"""Runs one program under both collectors in turn."""

import dataclasses
import mmap
import os
import shutil
import signal
import statistics
import subprocess
import sys

SIDES = ("libgc", "jackdaw")


def switches(arguments):
    """The variables that make faults of Jackdaw's show, as the command line asks for them."""
    values = {"VERIFY": arguments.verify, "STRESS": arguments.stress, "POISON": arguments.poison}
    return {f"JACKDAW_{name}": str(int(value)) for name, value in values.items() if value}


class Failure(Exception):
    """Why a program could not be measured, in one line."""


@dataclasses.dataclass
class Run:
    """What a run took."""

    wall_ms: float
    processor_ms: float
    peak_mib: float


@dataclasses.dataclass
class Collections:
    """The collections of a run that was instrumented, all its processes together."""

    count: int
    pauses_ms: float
    longest_pause_ms: float
    pause_processor_ms: float  # in the pauses, of all threads
    all_ms: float  # from the start of a collection to its end, the part outside the pause included
    live_mib: float  # the sum over the collections
    version: str  # of the libgc that was loaded, as it says; of Jackdaw, the version whose interface it has

    @property
    def pause_per_live(self):
        return self.pauses_ms / self.live_mib if self.live_mib else 0.0

    @property
    def processor_per_live(self):
        return self.pause_processor_ms / self.live_mib if self.live_mib else 0.0


@dataclasses.dataclass
class Result:
    client: object
    problem: str | None = None
    runs: dict = dataclasses.field(default_factory=lambda: {side: [] for side in SIDES})
    collections: dict = dataclasses.field(default_factory=lambda: {side: [] for side in SIDES})

    def median(self, side, metric):
        for measured in (self.runs[side], self.collections[side]):
            if measured and hasattr(measured[0], metric):
                return statistics.median(getattr(one, metric) for one in measured)
        return None

    def libgc_version(self):
        """Of the libgc that Jackdaw was compared with, or None."""
        return next((measured.version for measured in self.collections["libgc"]), None)

    def ratio(self, metric):
        libgc, jackdaw = (self.median(side, metric) for side in SIDES)
        return jackdaw / libgc if libgc and jackdaw is not None else None


class Bench:
    """Where programs run and what they run under."""

    def __init__(self, folder, sources, tools, libgc_folders, arguments):
        self.folder = folder  # where each program gets one of its own
        self.sources = sources  # where the source packages of test suites lie
        self.tools = tools  # where measured_run and the instrumentation lie
        self.libgc_folders = libgc_folders  # by side, where its libgc.so.1 lies; None: where the loader finds it
        self.arguments = arguments

    def measure(self, client):
        """Everything of one program; a failure is told and becomes part of the result."""
        result = Result(client)
        try:
            workplace = Workplace(client, self)
            workplace.prepare()
            # With switches times say nothing.
            is_timed = not switches(self.arguments)
            for round_number in range(0 if is_timed else 1, self.arguments.runs + 1):
                for side in in_turn(round_number) if is_timed else SIDES:
                    tell(client, f"run {round_number}" if round_number > 0 else "warm-up", side)
                    run = workplace.run(side)
                    if round_number > 0:
                        result.runs[side].append(run)
            for round_number in range(min(self.arguments.runs, 3) if is_timed else 0):
                for side in in_turn(round_number):
                    tell(client, f"collections {round_number + 1}", side)
                    result.collections[side].append(workplace.run_instrumented(side))
        except Failure as failure:
            result.problem = str(failure)
            print(f"clients: {client.name}: {failure}", file=sys.stderr)
        return result


def in_turn(round_number):
    return SIDES if round_number % 2 == 0 else tuple(reversed(SIDES))


def tell(client, what, side):
    print(f"clients: {client.name}: {what}, {side}", file=sys.stderr)


class Workplace:
    """A folder with a program's workload. Both sides run in the same one, so that they see the same names."""

    def __init__(self, client, bench):
        self.client = client
        self.bench = bench
        self.folder = bench.folder / client.name
        self.work = self.folder / "work"
        self.home = self.folder / "home"
        self.expected = None  # what libgc's first run left: a dictionary of outputs
        self.peak_mib = 256  # the most that a run took, as far as that is known
        shutil.rmtree(self.folder, ignore_errors=True)

    def prepare(self):
        """Makes the workload, in place of what an earlier run made of it."""
        for folder in (self.work, self.home):
            shutil.rmtree(folder, ignore_errors=True)
        self.home.mkdir(parents=True)
        shutil.copytree(self.client.folder, self.work)
        if self.client.source:
            shutil.copytree(self.client.find_tests(self.bench.sources), self.work / "tests")
        for command in self.client.prepare:
            done = subprocess.run(command, cwd=self.work, env=self.environment("libgc"), stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
            if done.returncode != 0:
                raise Failure(f"making the workload failed: {' '.join(command)}: {done.stdout.decode(errors='replace')}")

    def environment(self, side):
        """That of the caller, without what would change a collector."""
        variables = {name: value for name, value in os.environ.items()
                     if not name.startswith(("GC_", "JACKDAW_", "LD_")) and name not in ("LANG", "LANGUAGE", "DISPLAY")}
        variables |= {"HOME": str(self.home), "LC_ALL": "C.UTF-8"} | self.client.environment
        if self.bench.arguments.markers is not None:
            variables["GC_MARKERS" if side == "libgc" else "JACKDAW_MARKERS"] = str(self.bench.arguments.markers)
        if self.bench.libgc_folders[side] is not None:
            variables["LD_LIBRARY_PATH"] = str(self.bench.libgc_folders[side])
        if side == "jackdaw":
            if self.bench.arguments.concurrent:
                variables["JACKDAW_CONCURRENT"] = "1"
            if self.bench.arguments.stopping:
                variables["JACKDAW_CONCURRENT"] = "0"
            variables |= switches(self.bench.arguments)
        return variables

    def run(self, side, **more_variables):
        """Runs the program once and compares what it left with libgc's first run."""
        for name in (*self.client.outputs, *self.client.remove):
            remove(self.work / name)
        run, status, printed = self.execute(side, **more_variables)
        self.compare(side, status, printed)
        return run

    def execute(self, side, **more_variables):
        """Runs the program once. Returns what it took, its exit status, and the file with what it printed."""
        measured = self.folder / "measured"
        measured.unlink(missing_ok=True)
        printed = self.folder / f"{side}.output"
        seconds = self.bench.arguments.timeout
        touch_memory(2 * self.peak_mib)
        with open(printed, "wb") as file:
            process = subprocess.Popen([self.bench.tools / "measured_run", measured, *self.client.command], cwd=self.work,
                                       env=self.environment(side) | more_variables, stdin=subprocess.DEVNULL,
                                       stdout=file, stderr=subprocess.STDOUT, start_new_session=True)
            try:
                process.wait(seconds)
            except subprocess.TimeoutExpired:
                raise Failure(f"hangs under {side}: not done after {seconds:g} s") from None
            finally:
                end_session(process)
        wall_ns, processor_us, peak_kib, status = (int(word) for word in measured.read_text().split())
        run = Run(wall_ns / 1e6, processor_us / 1e3, peak_kib / 1024)
        self.peak_mib = max(self.peak_mib, run.peak_mib)
        return run, status, printed

    def compare(self, side, status, printed):
        if status != self.client.status:
            raise Failure(f"ends with status {status} under {side}: {last_line(printed)}")
        left = {"what it prints": self.client.normalise(printed.read_bytes())}
        for name in self.client.outputs:
            path = self.work / name
            left[name] = self.client.normalise(path.read_bytes()) if path.exists() else b""
        if self.expected is None:
            self.expected = left
        for name, output in left.items():
            if output != self.expected[name]:
                self.keep(side, name, output)
                raise Failure(f"differs under {side}: {name}; see {self.folder}")

    def keep(self, side, name, output):
        """Lets somebody look at a difference."""
        plain = name.replace("/", "-").replace(" ", "-")
        (self.folder / f"expected-{plain}").write_bytes(self.expected[name])
        (self.folder / f"{side}-{plain}").write_bytes(output)

    def run_instrumented(self, side):
        """Runs the program with collection_events.c in it."""
        path = self.folder / "collections"
        path.unlink(missing_ok=True)
        self.run(side, LD_PRELOAD=str(self.bench.tools / "libcollection_events.so"), JACKDAW_CLIENT_COLLECTIONS=str(path))
        libraries, collections = read_collections(path)
        folder = self.bench.libgc_folders[side]
        if folder is not None and libraries != {str(folder / "libgc.so.1")}:
            raise Failure(f"does not load {folder}/libgc.so.1 but {', '.join(libraries) or 'no collector'}")
        return collections


def read_collections(path):
    """The files that collectors were loaded from, and the collections."""
    lines = [line.split(maxsplit=2) for line in path.read_text().splitlines()] if path.exists() else []
    libraries = {os.path.abspath(line[2]) for line in lines if line[1] == "library"}
    versions = {line[2] for line in lines if line[1] == "version"}
    numbers = [[int(number) for number in (line[1], *line[2].split())] for line in lines if line[1].isdecimal()]
    pauses, processor, whole, live = zip(*numbers) if numbers else ((), (), (), ())
    return libraries, Collections(
        count=len(numbers), pauses_ms=sum(pauses) / 1e6, longest_pause_ms=max(pauses, default=0) / 1e6,
        pause_processor_ms=sum(processor) / 1e6, all_ms=sum(whole) / 1e6, live_mib=sum(live) / 2**20,
        version=" ".join(sorted(versions)))


def touch_memory(mib):
    """Writes to so much of the free memory, and half of that which there is at most: a virtual machine may have to get
    it from its host first, and may have given it back. Free memory in large pieces is given back first, so those."""
    free = os.sysconf("SC_AVPHYS_PAGES") // 2 * os.sysconf("SC_PAGE_SIZE")
    with mmap.mmap(-1, max(mmap.PAGESIZE, min(int(mib * 2**20), free))) as memory:
        memory.madvise(mmap.MADV_HUGEPAGE)
        memory[::mmap.PAGESIZE] = bytes([1]) * -(-len(memory) // mmap.PAGESIZE)


def remove(path):
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def end_session(process):
    """Whatever the program left running, too."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()


def last_line(path):
    lines = path.read_text(errors="replace").strip().splitlines()
    return lines[-1] if lines else "it printed nothing"
