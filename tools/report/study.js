// A study: more markings than there are colours, which differ in heap, queue, victim or threads. All of a heap stands in
// panels of its own, with axes of its own. Everything is compared with one case, which the reader chooses.

const factors = { graph: "heap", queue: "queue", victim: "victim", threads: "threads" };
const textOf = (result, key) => (key === "threads" ? `${result.threads} thread${result.threads === 1 ? "" : "s"}` : result[key] ?? "–");
const varying = Object.keys(factors).filter((key) => distinct(marks.map((result) => result[key])).length > 1);
const isStudy = latencies.length === 0 && marks.length > colours.length;

// What tells results of one heap apart: factors, or names of files where these do not suffice.
const ownFactors = varying.filter((key) => key !== "graph");
const joined = (result, keys) => keys.map((key) => textOf(result, key)).join(", ");
const toldByFactors = distinct(marks.map((result) => joined(result, varying))).length === marks.length;
const caseOf = (result) => (toldByFactors ? joined(result, ownFactors) : result.label);
const firstCase = marks.length > 0 ? caseOf(marks[0]) : undefined;
// Files come in any order.
const byFactors = (one, other) => Object.keys(factors).map((key) => (
  String(one[key]).localeCompare(String(other[key]), "en", { numeric: true }))).find((order) => order !== 0) ?? 0;
if (isStudy) marks.sort(byFactors);
const cases = distinct(marks.map(caseOf));
const heaps = distinct(marks.map((result) => result.graph));
const ofHeap = (heap) => marks.filter((result) => result.graph === heap);

// Only few things have a colour each.
const colouredBy = toldByFactors && ownFactors.length > 1
  ? ["threads", "victim", "queue"].find((key) => (
    ownFactors.includes(key) && distinct(marks.map((result) => result[key])).length <= colours.length))
  : undefined;
const namedBy = ownFactors.filter((key) => key !== colouredBy);

const baselineOf = (heap, baseline) => ofHeap(heap).find((result) => caseOf(result) === baseline);

// A panel of bars for each heap; `of` gives a result's value, `runsOf` those of its runs.
function panelsByHeap(list, baseline, unit, heading, of, runsOf) {
  return heaps.map((heap) => {
    const compared = baselineOf(heap, baseline);
    const rows = list.filter((result) => result.graph === heap).map((result) => ({
      category: colouredBy ? joined(result, namedBy) : caseOf(result),
      series: colouredBy ? textOf(result, colouredBy) : caseOf(result),
      value: of(result), ratio: compared && of(compared) ? of(result) / of(compared) : undefined, ...spread(runsOf(result)),
    }));
    const names = colouredBy ? { category: namedBy.map((key) => factors[key]).join(", "), series: factors[colouredBy] }
      : { category: "case" };
    const panel = barPanel(rows, unit, { ...names, value: heading, ratio: "÷ baseline" },
      { reference: compared ? of(compared) : undefined });
    return { heading: heap, ...panel };
  }).filter((panel) => panel.rows.length > 0);
}

// Tables of medians, a queue a row and a victim a column, one for each heap and number of threads.
function crossTables(baseline) {
  const victims = distinct(marks.map((result) => result.victim));
  return heaps.flatMap((heap) => distinct(ofHeap(heap).map((result) => result.threads)).map((threads) => {
    const here = ofHeap(heap).filter((result) => result.threads === threads);
    const fastest = least(here.map((result) => timeOf(result.median)));
    const compared = baselineOf(heap, baseline);
    const rows = distinct(here.map((result) => result.queue)).map((queue) => [
      element("th", queue ?? "–", { scope: "row" }),
      ...victims.map((victim) => {
        const result = here.find((one) => one.queue === queue && one.victim === victim);
        if (!result) return cell(undefined);
        const time = timeOf(result.median);
        const numbers = cell(compared ? [time, time / timeOf(compared.median)] : time);
        if (time === fastest) numbers.classList.add("best");
        return numbers;
      }),
    ]);
    return { heading: `${heap}, ${textOf({ threads }, "threads")}`, headings: ["ms, ÷ baseline", ...victims], cells: rows };
  }));
}

// Speed-up, a panel for each heap, and for each victim where one panel would have more lines than there are colours.
function speedUpPanels() {
  return heaps.flatMap((heap) => {
    const groups = groupedBySetting(ofHeap(heap));
    const parts = groups.length <= colours.length ? [groups]
      : distinct(groups.map(([first]) => first.victim)).map((victim) => groups.filter(([first]) => first.victim === victim));
    return parts.map((part) => {
      const isPart = part.length < groups.length;
      const rows = part.flatMap((group) => {
        const alone = group.find((result) => result.threads === 1);
        const name = joined(group[0], ownFactors.filter((key) => key !== "threads" && !(isPart && key === "victim")));
        return alone && group.length > 1 ? group.map((result) => (
          speedUpRow(name, result.threads, timeOf(alone.median), timeOf(result.median), timesOf(result)))) : [];
      });
      return { heading: isPart ? `${heap}, ${part[0][0].victim}` : heap, ...speedUpLines(rows) };
    });
  }).filter((panel) => panel.rows.length > 0);
}

function studyFigures(baseline) {
  const list = [];
  const add = (id, title, note, panels) => { if (panels.length > 0) list.push({ id, title, note, panels }); };
  if (toldByFactors && varying.includes("queue") && varying.includes("victim")) {
    add("cross", "Queue by victim", `Median ms of a marking, and that ÷ ${baseline} on the same heap. The fastest of each table is bold.`,
      crossTables(baseline));
  }
  add("time", "Time by heap", `One marking: the bar is the median of the runs, each ring a run. Dashed: ${baseline}.`,
    panelsByHeap(marks, baseline, "ms", "median ms", (result) => timeOf(result.median), timesOf));
  if (varying.includes("threads")) {
    add("speed-up", "Speed-up over threads", "Median time of one thread ÷ that of several; the lines upwards and downwards are the spread of the runs.",
      speedUpPanels());
  }
  const stealing = marks.filter((result) => result.threads > 1 && result.median.steal_percent !== undefined);
  if (stealing.some((result) => result.median.steal_percent > 0)) {
    add("stolen", "Stolen tasks by heap", "Tasks got by stealing, of those executed.",
      panelsByHeap(stealing, baseline, "% of the tasks", "median stolen %", (result) => result.median.steal_percent,
        (result) => result.runs.map((run) => run.steal_percent)));
  }
  return list;
}
