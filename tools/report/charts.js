// Charts: what each kind looks like, as specifications for Vega. Rows are those of the tables beside them.

Object.assign(vegaModules["vega-dataflow"].transforms, vegaModules["vega-transforms"],
  vegaModules["vega-view-transforms"], vegaModules["vega-encode"]);

const colours = [1, 2, 3, 4, 5, 6].map((number) => `var(--series-${number})`);
const font = 'system-ui, "Segoe UI", Roboto, "Liberation Sans", "DejaVu Sans", sans-serif';
const vegaConfig = {
  axis: {
    labelFont: font, titleFont: font, labelFontSize: 12, titleFontSize: 12, titleFontWeight: "normal",
    labelColor: "var(--text)", titleColor: "var(--muted)", gridColor: "var(--line)", domain: false, ticks: false,
    labelPadding: 6, titlePadding: 8, labelLimit: 150,
  },
  legend: {
    labelFont: font, labelFontSize: 12, labelColor: "var(--text)", orient: "top", direction: "horizontal", title: null,
    offset: 10, symbolStrokeWidth: 2, labelLimit: 260,
  },
  text: { font, fontSize: 12, fill: "var(--text)" },
};

// Draws `make(width)` in the element now, and again when its width changes. `description` is for screen
// readers.
function draw(element, description, make) {
  let view = null;
  let drawn = 0;
  const redraw = () => {
    const width = element.clientWidth;
    if (width === drawn || width === 0) return;
    drawn = width;
    if (view) view.finalize();
    const spec = { autosize: { type: "fit-x", contains: "padding" }, padding: 0, width, description, ...make(width) };
    const runtime = vegaModules["vega-parser"].parse(spec, vegaConfig, { ast: true });
    view = new vegaModules["vega-view"].View(runtime, {
      expr: vegaModules["vega-interpreter"].expressionInterpreter,
      renderer: "svg",
      container: element,
      hover: false,
    });
    view.run();
  };
  redraw();
  new ResizeObserver(() => requestAnimationFrame(redraw)).observe(element);
}

const distinct = (values) => [...new Set(values)];
const value = (x) => ({ value: x });
const signal = (x) => ({ signal: x });
const scaled = (scale, field) => ({ scale, field });

function legendFor(names, width, scale = "colour", symbolType = "square") {
  if (names.length < 2) return [];
  return [{ fill: scale, symbolType, columns: width < 500 ? (names.length > 2 ? 1 : 2) : Math.min(names.length, 4) }];
}

// Whether there is a place for a row: a result may have times of 0 to divide by.
const isDrawable = (row) => Object.values(row).every((entry) => typeof entry !== "number" || Number.isFinite(entry));

// Gives rows their places one below the other, those of a category together. Returns the categories and the height.
function stack(rows, band) {
  const categories = distinct(rows.map((row) => row.category)).map((category) => {
    const members = rows.filter((row) => row.category === category);
    return { category, members };
  });
  let height = 0;
  for (const { members } of categories) {
    height += 6;
    for (const row of members) {
      row.top = height;
      height += band;
    }
    height += 6;
  }
  const labels = categories.map(({ category, members }) => (
    { category, middle: (members[0].top + members.at(-1).top + band) / 2 }));
  return { labels, height };
}

// Horizontal bars: a row's `value`, within each `category` one for each `series`; the spread from `low` to `high` and
// the values of `runs` where a row has them. `reference`: a line at that value.
function bars(allRows, { unit, reference }) {
  const rows = allRows.filter(isDrawable);
  const series = distinct(rows.map((row) => row.series));
  const isNamedAside = rows.every((row) => row.series === row.category);
  const band = isNamedAside || series.length === 1 ? 20 : 17;
  const { labels, height } = stack(rows, band);
  const points = rows.flatMap((row) => (row.runs ?? []).map((run) => ({ top: row.top, run })));
  const middle = signal(`datum.top + ${band / 2}`);
  const end = "max(datum.value, datum.high == null ? 0 : datum.high)";
  const largest = Math.max(reference ?? 0, ...rows.map((row) => Math.max(row.value, row.high ?? 0))) || 1;
  return (width) => ({
    height,
    data: [{ name: "rows", values: rows }, { name: "points", values: points }, { name: "labels", values: labels }],
    scales: [
      { name: "x", type: "linear", domain: [0, largest * (width < 500 ? 1.3 : 1.12)], range: "width" },
      { name: "colour", type: "ordinal", domain: series, range: colours },
    ],
    axes: [{ orient: "bottom", scale: "x", grid: true, tickCount: width < 500 ? 4 : 8, title: unit }],
    legends: isNamedAside ? [] : legendFor(series, width),
    marks: [
      { type: "text", from: { data: "labels" }, encode: { enter: {
        x: value(-8), y: { field: "middle" }, align: value("right"), baseline: value("middle"),
        limit: value(Math.round(width * (width < 500 ? 0.42 : 0.36))), text: { field: "category" } } } },
      { type: "rect", from: { data: "rows" }, encode: { enter: {
        x: scaled("x", "value"), x2: { scale: "x", value: 0 }, y: { field: "top", offset: 1 }, height: value(band - 2),
        fill: scaled("colour", "series"), cornerRadius: value(2), description: signal("datum.label"),
        tooltip: signal("datum.label") } } },
      { type: "rule", from: { data: "rows" }, encode: { enter: {
        x: signal("scale('x', datum.low == null ? datum.value : datum.low)"), x2: signal(`scale('x', ${end})`),
        y: middle, stroke: value("var(--text)"), strokeWidth: value(1.5) } } },
      { type: "symbol", from: { data: "points" }, encode: { enter: {
        x: scaled("x", "run"), y: middle, size: value(16), fill: value("var(--back)"), stroke: value("var(--text)"),
        strokeWidth: value(0.8) } } },
      ...(reference == null ? [] : [{ type: "rule", encode: { enter: {
        x: { scale: "x", value: reference }, y: value(0), y2: signal("height"), stroke: value("var(--text)"),
        strokeDash: value([4, 3]) } } }]),
      { type: "text", from: { data: "rows" }, encode: { enter: {
        x: signal(`scale('x', ${end}) + 7`), y: middle, baseline: value("middle"), text: { field: "shown" },
        fill: value("var(--text)"), stroke: value("var(--back)"), strokeWidth: value(3) } } },
    ],
  });
}

function powersAround(least, most) {
  const powers = [10 ** Math.floor(Math.log10(least))];
  while (powers.at(-1) < most) powers.push(powers.at(-1) * 10);
  return powers;
}

// Lines through points at `x`, one for each `series`; the spread from `low` to `high` where a row has it. `guides` are
// rows of further lines, without points and dashed. y begins at 0, or is logarithmic where values lie far apart.
function lines(allRows, { xTitle, yTitle, guides = [], ordinal = false }) {
  const rows = allRows.filter(isDrawable);
  const all = rows.concat(guides);
  const [least, most] = [Math.min(...all.map((row) => row.y)), Math.max(...all.map((row) => row.high ?? row.y))];
  const powers = least > 0 && most > 20 * least ? powersAround(least, most) : null;
  const series = distinct(all.map((row) => row.series));
  const dashed = distinct(guides.map((row) => row.series));
  const xs = distinct(all.map((row) => row.x));
  const line = (data, strokeDash) => ({
    type: "group",
    from: { facet: { name: `${data}-line`, data, groupby: "series" } },
    marks: [{ type: "line", from: { data: `${data}-line` }, encode: { enter: {
      x: scaled("x", "x"), y: scaled("y", "y"), stroke: scaled("colour", "series"), strokeWidth: value(2),
      strokeDash: value(strokeDash) } } }],
  });
  return (width) => ({
    height: 260,
    data: [{ name: "rows", values: rows }, { name: "guides", values: guides }],
    scales: [
      ordinal ? { name: "x", type: "point", domain: xs, range: "width", padding: 0.4 }
              : { name: "x", type: "linear", domain: [1, Math.max(2, ...xs)], zero: false, range: "width", padding: 12 },
      powers ? { name: "y", type: "log", range: "height", domain: [powers[0], powers.at(-1)] }
             : { name: "y", type: "linear", range: "height", nice: true, domain: [0, most] },
      { name: "colour", type: "ordinal", domain: series,
        range: series.map((name, index) => (dashed.includes(name) ? "var(--muted)" : colours[index % colours.length])) },
      { name: "dash", type: "ordinal", domain: series, range: series.map((name) => (dashed.includes(name) ? [5, 4] : [1, 0])) },
    ],
    axes: [
      { orient: "bottom", scale: "x", title: xTitle, ...(ordinal ? {} : { values: xs, format: "d" }) },
      { orient: "left", scale: "y", grid: true, title: yTitle, 
        ...(powers ? { values: powers, format: "~g" } : { tickCount: 5, format: "~r" }) },
    ],
    legends: series.length < 2 ? [] : [{ stroke: "colour", strokeDash: "dash", symbolType: "stroke",
      symbolSize: 260, columns: width < 500 ? 1 : Math.min(series.length, 3) }],
    marks: [
      line("guides", [5, 4]),
      line("rows", [1, 0]),
      { type: "rule", from: { data: "rows" }, encode: { enter: {
        x: scaled("x", "x"), y: signal("scale('y', datum.low == null ? datum.y : datum.low)"),
        y2: signal("scale('y', datum.high == null ? datum.y : datum.high)"), stroke: value("var(--text)"),
        strokeWidth: value(1.5) } } },
      { type: "symbol", from: { data: "rows" }, encode: { enter: {
        x: scaled("x", "x"), y: scaled("y", "y"), size: value(48), fill: scaled("colour", "series"),
        stroke: value("var(--back)"), description: signal("datum.label"), tooltip: signal("datum.label") } } },
    ],
  });
}

// A square for each thief and victim, the darker the more often it happened.
function matrix(cells) {
  const workers = distinct(cells.map((cell) => cell.thief));
  const most = Math.max(1, ...cells.map((cell) => cell.count));
  return (width) => {
    const side = Math.min(48, Math.floor((width - 60) / workers.length));
    return {
        autosize: { type: "pad" },
      width: side * workers.length,
      height: side * workers.length,
      data: [{ name: "cells", values: cells }],
      scales: ["x", "y"].map((name) => (
        { name, type: "band", domain: workers, range: name === "x" ? "width" : "height", padding: 0.06 })),
      axes: [
        { orient: "top", scale: "x", title: "stolen from", labelOverlap: true },
        { orient: "left", scale: "y", title: "thief", labelOverlap: true },
      ],
      marks: [
        { type: "rect", from: { data: "cells" }, encode: { enter: {
          x: scaled("x", "victim"), y: scaled("y", "thief"), width: { scale: "x", band: 1 },
          height: { scale: "y", band: 1 }, cornerRadius: value(3),
          fill: signal("datum.count == 0 ? 'var(--raised)' : 'var(--series-1)'"),
          fillOpacity: signal(`datum.count == 0 ? 1 : 0.2 + 0.8 * sqrt(datum.count / ${most})`),
          description: signal("datum.label"), tooltip: signal("datum.label") } } },
        ...(side < 24 ? [] : [{ type: "text", from: { data: "cells" }, encode: { enter: {
          x: { scale: "x", field: "victim", band: 0.5 }, y: { scale: "y", field: "thief", band: 0.5 },
          align: value("center"), baseline: value("middle"), limit: value(side - 4),
          fontSize: value(side < 40 ? 10 : 12),
          fill: signal(`datum.count > ${most} / 4 ? '#ffffff' : 'var(--text)'`), text: { field: "shown" } } } }]),
      ],
    };
  };
}

// A lane for each worker. A piece lies between `start` and `end`, in ms, and takes its lane's height from `low` to
// `high`, which are shares of it.
function lanes(pieces, { activities, workers, end }) {
  return (width) => ({
    height: workers.length * 26,
    data: [{ name: "pieces", values: pieces }],
    scales: [
      { name: "x", type: "linear", domain: [0, end], range: "width" },
      { name: "lane", type: "band", domain: workers, range: "height", padding: 0.2 },
      { name: "colour", type: "ordinal", domain: activities,
        range: ["var(--series-1)", "var(--series-2)", "var(--series-5)", "var(--rest)"] },
    ],
    axes: [
      { orient: "bottom", scale: "x", title: "ms", tickCount: width < 500 ? 4 : 8 },
      { orient: "left", scale: "lane" },
    ],
    legends: legendFor(activities, 1000),
    marks: [{ type: "rect", from: { data: "pieces" }, encode: { enter: {
      x: scaled("x", "start"), x2: scaled("x", "end"),
      y: signal("scale('lane', datum.worker) + bandwidth('lane') * datum.low"),
      y2: signal("scale('lane', datum.worker) + bandwidth('lane') * datum.high"),
      fill: scaled("colour", "activity"), tooltip: signal("datum.label") } } }],
  });
}
