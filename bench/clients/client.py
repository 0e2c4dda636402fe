"""A program and its workload, as client.toml describes them."""

import dataclasses
import pathlib
import re
import shutil
import tomllib


class BadClient(Exception):
    """What is wrong with a name or a description, in one line."""


@dataclasses.dataclass(frozen=True)
class Client:
    name: str
    folder: pathlib.Path
    packages: list  # of Debian, that it needs
    work: str  # what it does, in a few words
    command: list
    prepare: list = dataclasses.field(default_factory=list)  # commands that make the workload, run once
    environment: dict = dataclasses.field(default_factory=dict)
    outputs: list = dataclasses.field(default_factory=list)  # files that are compared, beside what it prints
    remove: list = dataclasses.field(default_factory=list)  # what else a run must not find of the one before
    varying: list = dataclasses.field(default_factory=list)  # expressions that match what differs from run to run
    unordered: bool = False  # whether the order of lines differs, too
    status: int = 0  # what it ends with
    threads: bool = False  # whether several threads allocate
    source: str = ""  # the Debian source package that has the tests of a suite
    tests: str = ""  # the folder there, which becomes the folder tests of the workplace

    def normalise(self, output):
        for expression in self.varying:
            output = re.sub(expression.encode(), b"", output)
        return b"".join(sorted(output.splitlines(keepends=True))) if self.unordered else output

    def missing(self, sources):
        """What it needs and is not here."""
        words = {command[0] for command in (*self.prepare, self.command)}
        programs = [word for word in words if "/" not in word and shutil.which(word) is None]
        without_tests = self.source and self.find_tests(sources) is None
        return sorted(programs) + ([f"the source package {self.source}"] if without_tests else [])

    def find_tests(self, sources):
        """The folder of its tests among source packages, or None."""
        return next(sources.glob(f"{self.source}-*/{self.tests}"), None)


def load_clients(folder, names):
    """Those called so, or all, in the order of their names."""
    known = {path.parent.name: path for path in sorted(folder.glob("*/client.toml"))}
    for name in names:
        if name not in known:
            raise BadClient(f"there is no '{name}'; there are: {', '.join(known)}")
    return [load(known[name]) for name in names or known]


def load(path):
    try:
        return Client(name=path.parent.name, folder=path.parent, **tomllib.loads(path.read_text("utf-8")))
    except (tomllib.TOMLDecodeError, TypeError) as problem:
        raise BadClient(f"{path}: {problem}") from None
