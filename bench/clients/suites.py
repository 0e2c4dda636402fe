"""Runs the test suites of other people's programs under both collectors and compares the verdicts.

A suite prints a line for each test: its name, a colon, and 'passed' or 'failed'.
"""

import dataclasses
import re
import sys

from measuring import SIDES, Failure, Workplace


@dataclasses.dataclass
class Verdicts:
    tests: set
    failures: set


@dataclasses.dataclass
class SuiteResult:
    suite: object
    problem: str | None = None
    verdicts: dict = dataclasses.field(default_factory=dict)


def run_suite(suite, bench):
    """Once under each collector; a failure is told and becomes part of the result."""
    result = SuiteResult(suite)
    try:
        workplace = Workplace(suite, bench)
        for side in SIDES:
            print(f"clients: {suite.name}: test suite, {side}", file=sys.stderr)
            # Each has the folder as it was: suites leave much behind.
            workplace.prepare()
            result.verdicts[side] = verdicts_of(workplace, side)
        compare(result)
    except Failure as failure:
        result.problem = str(failure)
        print(f"clients: {suite.name}: {failure}", file=sys.stderr)
    return result


def verdicts_of(workplace, side):
    log = workplace.folder / "log"
    _, _, printed = workplace.execute(side, JACKDAW_LOG="1", JACKDAW_LOG_FILE=str(log))
    if side == "jackdaw" and not log.exists():
        raise Failure("does not run on Jackdaw, or without a collection")
    verdicts = re.findall(r"^(\S.*): (passed|failed)$", printed.read_text(errors="replace"), re.MULTILINE)
    if not verdicts:
        raise Failure(f"no test was run under {side}; see {printed}")
    return Verdicts({name for name, _ in verdicts}, {name for name, verdict in verdicts if verdict == "failed"})


def compare(result):
    libgc, jackdaw = (result.verdicts[side] for side in SIDES)
    if libgc.tests != jackdaw.tests:
        raise Failure(f"not the same tests were run: {names_of(libgc.tests ^ jackdaw.tests)}")
    if libgc.failures != jackdaw.failures:
        raise Failure(f"other verdicts: {names_of(libgc.failures ^ jackdaw.failures)}")


def names_of(tests):
    return ", ".join(sorted(tests))


def as_json(results):
    return [{
        "name": result.suite.name,
        "problem": result.problem,
        "tests": {side: sorted(verdicts.tests) for side, verdicts in result.verdicts.items()},
        "failures": {side: sorted(verdicts.failures) for side, verdicts in result.verdicts.items()},
    } for result in results]


def table(results):
    rows = [["test suite", "tests", "failed under libgc", "failed under Jackdaw", "verdicts"]]
    for result in results:
        counts = [str(len(result.verdicts[side].failures)) if side in result.verdicts else "" for side in SIDES]
        tests = str(len(result.verdicts["libgc"].tests)) if "libgc" in result.verdicts else ""
        rows.append([result.suite.name, tests, *counts, (result.problem or "the same").split(":")[0]])
    return rows
