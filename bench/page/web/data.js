// What the page knows, how it is written, and how elements are made. All texts become text nodes: whatever a file says is shown,
// and never read as HTML.

const data = JSON.parse(document.getElementById("data").textContent);
const hasCharts = typeof d3 !== "undefined";

for (const [index, file] of data.files.entries()) {
  file.index = index;
  file.environment = file.environment || {};
  file.points = file.rows.map((row, at) => {
    const point = { file, at };
    file.fields.forEach((field, column) => { point[field] = row[column]; });
    return point;
  });
}

// What is measured beside size and members: a page shows one kind at a time.
function kindOf(point) {
  return [point.type, point.op, point.in_place ? "in place" : "", point.shared ? "one result for all" : ""]
    .filter((word) => word).join(", ");
}

// A provider, with an algorithm that was named.
function nameOf(point) {
  return point.algorithm === "auto" ? point.provider : `${point.provider} ${point.algorithm}`;
}

function isChoice(point) {
  return point.provider === "tutti" && point.algorithm === "auto";
}

function unique(values) {
  return [...new Set(values)];
}

const allPoints = data.files.flatMap((file) => file.points);
const all = {
  kinds: unique(allPoints.map(kindOf)),
  members: unique(allPoints.map((point) => point.members)).sort((a, b) => a - b),
  collectives: unique(allPoints.map((point) => point.collective)),
  // Tutti first, then the other providers, then algorithms by name.
  names: unique(allPoints.map(nameOf)).sort((a, b) =>
    (b === "tutti") - (a === "tutti") || a.startsWith("tutti ") - b.startsWith("tutti ")),
};

function sameProblem(a, b) {
  return a.collective === b.collective && a.members === b.members && a.bytes === b.bytes && kindOf(a) === kindOf(b);
}

// Bytes a microsecond are MB/s.
function gigabytesPerSecond(bytes, us) {
  return bytes / us / 1000;
}

function bytesText(bytes) {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let unit = 0;
  while (bytes >= 1024 && bytes % 1024 === 0 && unit + 1 < units.length) {
    bytes /= 1024;
    ++unit;
  }
  return `${bytes} ${units[unit]}`;
}

function digits(value, count = 3) {
  if (value === 0 || !isFinite(value)) {
    return String(value);
  }
  return value >= 10 ** (count - 1) ? String(Math.round(value)) : String(Number(value.toPrecision(count)));
}

function usText(us) {
  return us < 0.1 ? `${digits(us * 1e3)} ns` : us < 1e3 ? `${digits(us)} µs` : us < 1e6 ? `${digits(us / 1e3)} ms`
    : `${digits(us / 1e6)} s`;
}

function bandwidthText(gigabytes) {
  return `${digits(gigabytes)} GB/s`;
}

function timesText(ratio) {
  return `${ratio < 10 ? ratio.toFixed(2) : digits(ratio)}×`;
}

function problemText(point) {
  return `${point.collective}${point.bytes > 0 ? ` ${bytesText(point.bytes)}` : ""}, ${point.members} members`;
}

// make("p", { class: "soft" }, "text", element, ...)
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "click") {
      element.addEventListener("click", value);
    } else if (value !== null) {
      element.setAttribute(name, value);
    }
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

// Rows are elements, or lists of cells, which are elements or texts.
function table(kind, heading, rows) {
  const cells = (row, tag) => row instanceof Element ? row
    : make("tr", {}, ...row.map((cell) => (cell instanceof Element ? cell : make(tag, {}, cell))));
  return make("table", { class: kind },
    ...(heading.length > 0 ? [make("thead", {}, cells(heading, "th"))] : []), make("tbody", {}, ...rows.map((row) => cells(row, "td"))));
}

function number(text) {
  return make("td", { class: "number" }, text);
}
