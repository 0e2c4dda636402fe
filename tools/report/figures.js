// Figures: what the report shows. Each has a title, a note, and panels: a chart and the table of the same rows.

const results = data.results;
const marks = results.filter((result) => result.kind === "mark");
const latencies = results.filter((result) => result.kind === "latency");

const precise = new Intl.NumberFormat("en-US", { maximumSignificantDigits: 4 });
const whole = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });
const shown = (number) => (Number.isInteger(number) || Math.abs(number) >= 10000 ? whole : precise).format(number);

// More runs than these are not shown one by one.
const mostRuns = 200;
const least = (values) => values.reduce((one, other) => Math.min(one, other));
const most = (values) => values.reduce((one, other) => Math.max(one, other));
const spread = (values) => ({ low: least(values), high: most(values), runs: values.length > mostRuns ? undefined : values });
const timeOf = (figures) => figures.wall_ms ?? figures.collect_ms;
const timesOf = (result) => result.runs.map(timeOf);

// A column of a table: its key in the rows, and its heading.
const columns = (headings) => Object.entries(headings).map(([key, heading]) => ({ key, heading }));
const spreadColumns = (headings) => columns({ ...headings, low: "least", high: "most", runs: "runs" });

function timePanel() {
  const rows = marks.map((result) => ({
    category: result.label, series: result.label, value: timeOf(result.median), ...spread(timesOf(result)),
  }));
  return barPanel(rows, "ms", { category: "result", value: "median ms" });
}

function barPanel(rows, unit, headings, options = {}) {
  for (const row of rows) {
    row.shown = shown(row.value);
    row.label = `${distinct([row.category, row.series]).join(", ")}: ${row.shown}${row.low !== undefined ? ` (${shown(row.low)} to ${shown(row.high)})` : ""}`;
  }
  return {
    chart: bars(rows, { unit, ...options }),
    columns: rows.some((row) => row.low !== undefined) ? spreadColumns(headings) : columns(headings),
    rows,
  };
}

function ratioPanel() {
  const rows = marks.flatMap((result) => result.baselines.map((baseline) => {
    const ours = result.runs.map((run) => (baseline.phase === "marking" ? run.wall_ms : run.collect_ms));
    return {
      category: baseline.name, series: result.label, threads: baseline.threads, value: baseline.ratio,
      ...spread(baseline.wall_ms.map((theirs, run) => ours[run] / theirs)),
    };
  }));
  return barPanel(rows, "our time ÷ the baseline's", {
    series: "result", category: "baseline", threads: "threads", value: "ratio of medians",
  }, { reference: 1 });
}

function nsPanel() {
  const rows = marks.flatMap((result) => {
    const perObject = (ms) => (ms * 1e6 * result.median.ns_per_object) / (timeOf(result.median) * 1e6);
    const ours = {
      category: result.label, series: "Jackdaw", value: result.median.ns_per_object,
      ...spread(result.runs.map((run) => run.ns_per_object)),
    };
    if (!result.limit) return [ours];
    return [ours, {
      category: result.label, series: "reading the same memory", value: perObject(result.limit.median_ms),
      ...spread(result.limit.wall_ms.map(perObject)),
    }];
  });
  return barPanel(rows, "ns per object", { category: "result", series: "what", value: "median ns" });
}

// From --bounds, which ran several numbers of workers; else from results that differ in threads alone.
function speedUpPanel() {
  const rows = [];
  for (const result of marks) {
    if (!result.bounds) continue;
    const [alone] = result.bounds.runs;
    for (const run of result.bounds.runs) {
      rows.push(speedUpRow(result.label, run.workers, alone.median_ms, run.median_ms, run.wall_ms));
    }
  }
  for (const group of groupedBySetting(marks.filter((result) => !result.bounds))) {
    const alone = group.find((result) => result.threads === 1);
    if (!alone || group.length < 2) continue;
    for (const result of group) {
      rows.push(speedUpRow(settingOf(result), result.threads, timeOf(alone.median), timeOf(result.median), timesOf(result)));
    }
  }
  return rows.some((row) => row.x > 1) ? speedUpLines(rows) : null;
}

function speedUpLines(rows) {
  const guides = distinct(rows.map((row) => row.x)).sort((a, b) => a - b).map((x) => ({ x, y: x, series: "in proportion" }));
  return {
    chart: lines(rows, { xTitle: "mark threads", yTitle: "speed-up", guides }),
    columns: columns({ series: "result", x: "threads", ms: "median ms", y: "speed-up", low: "least", high: "most" }),
    rows,
  };
}

function speedUpRow(series, x, aloneMs, ms, runs) {
  const row = { series, x, ms, y: aloneMs / ms, low: aloneMs / most(runs), high: aloneMs / least(runs) };
  row.label = `${series}, ${x} threads: ${shown(row.y)}`;
  return row;
}

const settingOf = (result) => [result.graph, result.queue, result.victim].filter(Boolean).join(", ");

function groupedBySetting(list) {
  return distinct(list.map(settingOf)).map((setting) => (
    list.filter((result) => settingOf(result) === setting).sort((a, b) => a.threads - b.threads)));
}

// More workers than these would not be told apart.
const mostWorkers = 64;
const withWorkers = marks.filter((result) => result.workers && result.workers.length > 1);

function workerRows(key, of) {
  return withWorkers.flatMap((result) => result.workers.slice(0, mostWorkers).map((worker, number) => ({
    category: String(number), series: result.label, [key]: of(worker), value: of(worker),
  })));
}

const stolenPercent = (worker) => (worker.tasks_executed === 0 ? 0 : (100 * worker.tasks_stolen) / worker.tasks_executed);

function stealPanels() {
  const headings = { series: "result", category: "worker" };
  return [
    { heading: "Steals", ...barPanel(workerRows("steals", (worker) => worker.steals), "steals", { ...headings, value: "steals" }) },
    { heading: "Share of its tasks that a worker stole",
      ...barPanel(workerRows("percent", stolenPercent), "% of the tasks it executed", { ...headings, value: "stolen %" }) },
  ];
}

function matrixPanel(result) {
  const workers = result.workers.slice(0, mostWorkers);
  const cells = workers.flatMap((worker, thief) => worker.steals_by_victim.slice(0, mostWorkers).map((count, victim) => ({
    thief, victim, count, shown: count === 0 ? "" : shown(count), label: `${thief} stole from ${victim}: ${shown(count)}`,
  })));
  return {
    heading: result.label,
    chart: matrix(cells),
    columns: [{ key: "thief", heading: "thief" },
      ...workers.map((_, victim) => ({ key: String(victim), heading: `from ${victim}` }))],
    rows: workers.map((worker, thief) => ({ thief: String(thief), ...worker.steals_by_victim })),
  };
}

const activities = ["work", "steal", "idle", "sleep"];
// A lane with more pieces than this is drawn as shares of this number of equal parts of the time.
const mostPieces = 400;

function timeLinePanel(result) {
  const lanesOfWorkers = result.time_line.workers.slice(0, mostWorkers);
  const end = result.time_line.wall_ms;
  const rows = lanesOfWorkers.map((spans, worker) => {
    const row = { worker: String(worker), spans: spans.length };
    for (const activity of activities) row[activity] = 0;
    for (const span of spans) row[span.activity] += span.end_ms - span.start_ms;
    return row;
  });
  const dropped = result.time_line.dropped;
  return {
    heading: result.label + (dropped === 0 ? "" : `, without ${shown(dropped)} spans that there was no room for`),
    chart: lanes(lanesOfWorkers.flatMap((spans, worker) => piecesOf(spans, worker, end)),
      { activities, workers: lanesOfWorkers.map((_, worker) => worker), end }),
    columns: columns({ worker: "worker", spans: "spans",
      ...Object.fromEntries(activities.map((activity) => [activity, `${activity} ms`])) }),
    rows,
  };
}

function piecesOf(spans, worker, end) {
  if (spans.length <= mostPieces) {
    return spans.map((span) => ({
      worker, activity: span.activity, start: span.start_ms, end: span.end_ms, low: 0, high: 1,
      label: `worker ${worker}: ${span.activity}, ${shown(span.start_ms)} to ${shown(span.end_ms)} ms`
        + (span.tasks ? `, ${span.tasks} from worker ${span.victim}` : ""),
    }));
  }
  const width = end / mostPieces;
  const shares = Array.from({ length: mostPieces }, () => ({}));
  for (const { activity, start_ms: start, end_ms: until } of spans) {
    const last = Math.min(mostPieces - 1, Math.floor(until / width));
    for (let part = Math.floor(start / width); part <= last; ++part) {
      const time = Math.min(until, (part + 1) * width) - Math.max(start, part * width);
      shares[part][activity] = (shares[part][activity] ?? 0) + time / width;
    }
  }
  return shares.flatMap((share, part) => {
    let high = 1;
    return activities.filter((activity) => share[activity] > 0).map((activity) => {
      const low = high - share[activity];
      const piece = { worker, activity, start: part * width, end: (part + 1) * width, low, high,
        label: `worker ${worker}: ${activity} ${shown(100 * share[activity])} %` };
      high = low;
      return piece;
    });
  });
}


// Rows with a value for each of the percentiles, as lines over these.
function percentilePanel(rows, names, yTitle, headings) {
  const points = rows.flatMap((row) => names.filter((name) => row[name] > 0).map((name) => ({
    series: row.series, x: name, y: row[name], label: `${row.series}, ${name}: ${shown(row[name])}`,
  })));
  return {
    chart: lines(points, { xTitle: "percentile", yTitle, ordinal: true }),
    columns: columns({ ...headings, ...Object.fromEntries(names.map((name) => [name, name])) }),
    rows,
  };
}

// The few collections of a marking are shown each, as percentiles of them would mean nothing.
function pausePanels() {
  const marked = marks.map((result) => ({
    category: result.label, series: result.label, value: result.median.collect_ms,
    ...spread(result.runs.map((run) => run.collect_ms)),
  }));
  const measured = latencies.filter((result) => result.pauses > 0).map((result) => ({
    series: result.label, count: result.pauses, p50: result.pause_p50_ms, p90: result.pause_p90_ms,
    p99: result.pause_p99_ms, longest: result.longest_pause_ms,
  }));
  return [
    ...(marked.length > 0 ? [barPanel(marked, "ms", { category: "result", value: "median ms" })] : []),
    ...(measured.length > 0
      ? [percentilePanel(measured, ["p50", "p90", "p99", "longest"], "ms", { series: "result", count: "pauses" })] : []),
  ];
}

function operationPanel() {
  const rows = latencies.flatMap((result) => [["", "from its beginning"], ["due_", "from when it was due"]].map(([prefix, since]) => ({
    series: `${result.label}, ${since}`, p50: result[`${prefix}p50_us`], p99: result[`${prefix}p99_us`],
    "p99.9": result[`${prefix}p99_9_us`], longest: result[`${prefix}max_us`],
  })));
  return percentilePanel(rows, ["p50", "p99", "p99.9", "longest"], "µs", { series: "operations" });
}

// Whether times of the results can be compared: both of one heap, or of one program.
const areAlike = (one, other) => one.kind === other.kind && one.graph === other.graph;

// A figure a row, a result a column.
function summary() {
  const figure = (heading, of, compared = true) => ({ heading, compared, values: results.map((result) => of(result)) });
  const median = (key) => (result) => result.median?.[key];
  const ratioTo = (name) => (result) => result.baselines?.find((baseline) => baseline.name === name)?.ratio;
  const baselines = distinct(marks.flatMap((result) => result.baselines.map((baseline) => baseline.name)));
  return [
    figure("heap", (result) => result.graph ?? result.structure, false),
    figure("threads", (result) => result.threads, false),
    figure("queue", (result) => result.queue, false),
    figure("objects", (result) => result.objects, false),
    figure("mark ms", median("wall_ms")),
    figure("collect ms", median("collect_ms")),
    figure("ns per object", median("ns_per_object")),
    figure("stolen %", median("steal_percent")),
    figure("ratio to reading memory", (result) => result.ratio_to_limit),
    ...baselines.map((name) => figure(`ratio to ${name}`, ratioTo(name))),
    figure("collections", (result) => result.collections),
    figure("longest pause ms", (result) => result.longest_pause_ms),
    figure("operations p99.9 µs", (result) => result.p99_9_us),
    figure("allocated MiB", (result) => result.frames && mebibytes(result.frames[0].bytes)),
    figure("live MiB", (result) => result.frames && mebibytes(result.frames[0].live_bytes)),
    figure("bytes for a sample", (result) => result.every_bytes, false),
  ].filter((row) => row.values.some((cell) => cell !== undefined));
}

function figures() {
  const list = [];
  const add = (id, title, note, panels) => {
    if (panels.length > 0 && panels.every((panel) => panel && panel.rows.length > 0)) list.push({ id, title, note, panels });
  };
  const several = marks.length > 1;
  if (marks.length > 0) {
    add("time", several ? "Time, side by side" : "Time",
      "One marking: the bar is the median of the runs, the line their spread, each ring a run. Where objects are conservative, one whole collection.",
      [timePanel()]);
    add("ratios", "Ratio to the baselines",
      "Our time ÷ theirs, on the same objects in the same process, in turn: below 1 (the dashed line) Jackdaw is faster. The bar is the ratio of the medians, each ring that of one run.",
      [ratioPanel()]);
    add("ns", "Time for an object, and the memory's limit",
      "Reading as many cache lines as the marked objects have, from as much memory, with as many threads: no marking can be faster than that.",
      [nsPanel()]);
    add("speed-up", "Speed-up over threads", "Median time of one thread ÷ that of several; the lines upwards and downwards are the spread of the runs.",
      [speedUpPanel()]);
  }
  const nearest = "Of the run nearest the median.";
  if (withWorkers.length > 0) {
    add("steals", "Steals of each worker",
      `${nearest} One task stolen near the root of a tree can be half of the work: few steals do not mean that a worker had little to do.`,
      stealPanels());
    add("matrix", "Who stole from whom", `${nearest} A row is a thief, a column its victim.`, withWorkers.map(matrixPanel));
  }
  add("time-line", "What each worker did, and when",
    "Of a run of its own, which is not among the others. steal: it looked for tasks until it had some; idle: it looked in vain; sleep: it was not called, or had left.",
    marks.filter((result) => result.time_line).map(timeLinePanel));
  add("pauses", "Pauses", "A pause is the time for which the program's threads are stopped: here, of jackdaw mark, whole collections, each ring one of them; of programs, so many percent are not longer.",
    pausePanels());
  add("operations", "Operations of the program latency", "How long operations took that come due at fixed times. A collector that stops the program delays those that come due meanwhile.",
    latencies.length > 0 ? [operationPanel()] : []);
  return list;
}
