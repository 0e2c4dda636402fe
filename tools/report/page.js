// The page: a summary of the results, then a section for each figure.

function element(name, content = "", attributes = {}) {
  const made = document.createElement(name);
  for (const [key, text] of Object.entries(attributes)) made.setAttribute(key, text);
  made.append(...[content].flat());
  return made;
}

// Numbers as people read them, with the exact value beside.
function cell(content, name = "td") {
  if (content === undefined || content === null) return element(name, "–");
  if (typeof content === "string") return element(name, content, { class: "word" });
  const numbers = [content].flat().map((number) => element("data", shown(number), { value: number }));
  return element(name, numbers.flatMap((number, index) => (index === 0 ? [number] : [" ", number])));
}

function table(headings, rows, id) {
  const head = element("thead", element("tr", headings.map((heading) => element("th", heading, { scope: "col" }))));
  const body = element("tbody", rows.map((cells) => element("tr", cells)));
  return element("div", element("table", [head, body], { id }), { class: "scrolls", tabindex: "0" });
}

function panelOf(figure, panel, index) {
  if (panel.cells) {
    return { made: element("figure", [element("h3", panel.heading), table(panel.headings, panel.cells, `table-${figure.id}-${index}`)]),
      draw: () => {} };
  }
  const chart = element("div", "", { class: panel.flame ? "flame" : "chart" });
  const rows = panel.rows.map((row) => panel.columns.map((column) => cell(row[column.key])));
  const made = element("figure", [
    ...(panel.heading ? [element("h3", panel.heading)] : []),
    chart,
    element("details", [
      element("summary", "Figures"),
      table(panel.columns.map((column) => column.heading), rows, `table-${figure.id}-${index}`),
    ]),
  ]);
  if (panel.flame) return { made, draw: () => panel.flame(chart) };
  return { made, draw: () => draw(chart, [figure.title, panel.heading].filter(Boolean).join(": "), panel.chart) };
}

// Behind all results that are like the first stands how they compare with it.
function summarySection() {
  const several = results.length > 1;
  const isCompared = (index) => index > 0 && areAlike(results[0], results[index]);
  const headings = ["", ...results.flatMap((result, index) => (isCompared(index) ? [result.label, "÷ first"] : [result.label]))];
  const rows = summary().map(({ heading, compared, values }) => [
    element("th", heading, { scope: "row" }),
    ...values.flatMap((content, index) => {
      if (!isCompared(index)) return [cell(content)];
      return [cell(content), compared && values[0] && content !== undefined ? cell(content / values[0]) : element("td")];
    }),
  ]);
  return element("section", [
    element("h2", several ? "The results, side by side" : "The result"),
    ...(profiles.length < results.length ? [element("p", "Medians of the runs.", { class: "note" })] : []),
    table(headings, rows, "table-summary"),
  ]);
}

// What the results differ in, and what they have in common.
function header() {
  const names = varying.map((key) => factors[key]);
  const title = names.length === 0 || marks.length < results.length ? "Jackdaw report"
    : `Marking by ${names.length === 1 ? names[0] : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`}`;
  document.title = title;
  const common = marks.length === 0 ? [] : Object.keys(factors).filter((key) => !varying.includes(key) && marks[0][key] !== undefined);
  const subtitle = isStudy ? [`${marks.length} results`, ...common.map((key) => textOf(marks[0], key))]
    : results.map((result) => result.label);
  return element("header", [element("h1", title), element("p", subtitle.join(" · "))]);
}

// When, where and by what command each result was made.
function madeSection() {
  const told = results.filter((result) => result.made?.date);
  if (told.length === 0) return [];
  const all = (key) => distinct(told.map((result) => result.made[key])).sort();
  const dates = all("date");
  const rows = [["date", dates.length === 1 ? dates[0] : `${dates[0]} to ${dates.at(-1)}`],
    ...["machine", "kernel", "version"].map((key) => [key, all(key).join("; ")])];
  const commands = told.map((result) => [element("th", result.label, { scope: "row" }), cell(result.made.command)]);
  return [element("section", [
    element("h2", "How it was measured"),
    table(["", ""], rows.map(([heading, text]) => [element("th", heading, { scope: "row" }), cell(text)]), "table-made"),
    element("details", [element("summary", "Command lines"), table(["result", "command"], commands, "table-commands")]),
  ], { id: "made" })];
}

function baselineSection(baseline) {
  const choice = element("select", cases.map((name) => element("option", name)), { id: "baseline" });
  choice.value = baseline;
  choice.addEventListener("change", () => show(choice.value));
  return element("section", [element("label", "Compared with ", { for: "baseline" }), choice], { class: "choice" });
}

function show(baseline) {
  const report = document.getElementById("report");
  report.replaceChildren(header(), isStudy ? baselineSection(baseline) : summarySection());
  for (const figure of [...(isStudy ? studyFigures(baseline) : figures()), ...flameFigures()]) {
    const panels = figure.panels.map((panel, index) => panelOf(figure, panel, index));
    report.append(element("section", [
      element("h2", figure.title),
      element("p", figure.note, { class: "note" }),
      element("div", panels.map((panel) => panel.made), { class: figure.isWide || figure.panels[0].cells ? "panels wide" : "panels" }),
    ], { id: figure.id }));
    for (const panel of panels) panel.draw();
  }
  report.append(...madeSection());
}

show(firstCase);
document.getElementById("footer").append(element("p", `${data.generator}. Charts: Vega (BSD-3-Clause; its licence is in this file).`));

// On paper nothing can be opened.
let openedForPrint = [];
addEventListener("beforeprint", () => {
  openedForPrint = [...document.querySelectorAll("details:not([open])")];
  for (const details of openedForPrint) details.open = true;
});
addEventListener("afterprint", () => { for (const details of openedForPrint) details.open = false; });
