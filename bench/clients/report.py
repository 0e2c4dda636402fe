"""The tables and the JSON of what was measured."""

import dataclasses
import math
import re

from measuring import SIDES, switches

# Each figure that is measured, with its name in tables and its digits after the point.
METRICS = {
    "wall_ms": ("wall ms", 0),
    "processor_ms": ("processor ms", 0),
    "peak_mib": ("peak RSS MiB", 1),
    "count": ("collections", 0),
    "pauses_ms": ("pauses ms", 1),
    "longest_pause_ms": ("longest pause ms", 2),
    "pause_per_live": ("pause ms/MiB live", 3),
    "processor_per_live": ("pause's processor ms/MiB live", 3),
}


def tables(results):
    """Two tables in Markdown: ratios, and the medians that they are made of."""
    whole = [result for result in results if result.problem is None]
    versions = " ".join(libgc_versions(whole))
    ratios = [[f"Jackdaw ÷ libgc {versions}", *(re.sub(" (ms|MiB)(?=$|/)", "", title) for title, _ in METRICS.values())]]
    figures = [[f"libgc {versions} → Jackdaw", *(title for title, _ in METRICS.values())]]
    for result in results:
        if result.problem is not None:
            ratios.append([result.client.name, result.problem.split(":")[0], *[""] * (len(METRICS) - 1)])
            continue
        ratios.append([result.client.name, *(number(result.ratio(metric), 2) for metric in METRICS)])
        figures.append([result.client.name, *(
            " → ".join(number(result.median(side, metric), digits) for side in SIDES)
            for metric, (_, digits) in METRICS.items())])
    ratios.append(["geometric mean", *(number(geometric_mean(whole, metric), 2) for metric in METRICS)])
    return f"{markdown(ratios)}\n\n{markdown(figures)}"


def verdicts(results, variables):
    """A table for runs in which Jackdaw looks for its faults: times are not compared."""
    title = "Jackdaw with " + " ".join(f"{name}={value}" for name, value in variables.items())
    rows = [[title, "runs", "output"]]
    for result in results:
        verdict = (result.problem or "as with libgc").split(":")[0]
        rows.append([result.client.name, str(len(result.runs["jackdaw"])), verdict])
    return markdown(rows)


def libgc_versions(results):
    return sorted({version for result in results if (version := result.libgc_version())})


def number(value, digits):
    return "" if value is None else f"{value:.{digits}f}"


def geometric_mean(results, metric):
    ratios = [ratio for ratio in (result.ratio(metric) for result in results) if ratio]
    return math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else None


def markdown(rows):
    """The first row is the head. The first column is aligned on the left, the others on the right."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = ["| " + " | ".join([row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:]))])
             + " |" for row in rows]
    rule = "|" + "|".join(["-" * (widths[0] + 2), *("-" * (width + 1) + ":" for width in widths[1:])]) + "|"
    return "\n".join([lines[0], rule, *lines[1:]])


def as_json(results, arguments):
    whole = [result for result in results if result.problem is None]
    compared = {} if switches(arguments) else METRICS
    return {
        "runs": arguments.runs,
        "markers": arguments.markers,
        "switches": switches(arguments),
        "libgc_versions": libgc_versions(whole),
        "programs": [program_as_json(result, compared) for result in results],
        "geometric_means": {metric: geometric_mean(whole, metric) for metric in compared},
    }


def program_as_json(result, compared):
    return {
        "name": result.client.name,
        "work": result.client.work,
        "threads": result.client.threads,
        "problem": result.problem,
        "runs": {side: [dataclasses.asdict(run) for run in result.runs[side]] for side in SIDES},
        "collections": {side: [dataclasses.asdict(run) for run in result.collections[side]] for side in SIDES},
        "medians": {side: {metric: result.median(side, metric) for metric in METRICS} for side in SIDES},
        "ratios": {metric: result.ratio(metric) for metric in compared},
    }
