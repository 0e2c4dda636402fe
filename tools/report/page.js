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
  const chart = element("div", "", { class: "chart" });
  const rows = panel.rows.map((row) => panel.columns.map((column) => cell(row[column.key])));
  const made = element("figure", [
    ...(panel.heading ? [element("h3", panel.heading)] : []),
    chart,
    element("details", [
      element("summary", "Figures"),
      table(panel.columns.map((column) => column.heading), rows, `table-${figure.id}-${index}`),
    ]),
  ]);
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
    element("p", "Medians of the runs.", { class: "note" }),
    table(headings, rows, "table-summary"),
  ]);
}

const report = document.getElementById("report");
report.append(element("header", [
  element("h1", "Jackdaw report"),
  element("p", results.map((result) => result.label).join(" · ")),
]), summarySection());
for (const figure of figures()) {
  const panels = figure.panels.map((panel, index) => panelOf(figure, panel, index));
  report.append(element("section", [
    element("h2", figure.title),
    element("p", figure.note, { class: "note" }),
    element("div", panels.map((panel) => panel.made), { class: "panels" }),
  ], { id: figure.id }));
  for (const panel of panels) panel.draw();
}
document.getElementById("footer").append(element("p", `${data.generator}. Charts: Vega (BSD-3-Clause; its licence is in this file).`));

// On paper nothing can be opened.
let openedForPrint = [];
addEventListener("beforeprint", () => {
  openedForPrint = [...document.querySelectorAll("details:not([open])")];
  for (const details of openedForPrint) details.open = true;
});
addEventListener("afterprint", () => { for (const details of openedForPrint) details.open = false; });
