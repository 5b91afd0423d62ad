// The data of the page, its formats, and the making of elements. All texts become text nodes: they are shown,
// whatever is in a file, and never read as HTML.

const data = JSON.parse(document.getElementById("data").textContent);
const hasCharts = typeof d3 !== "undefined";

function unique(values) {
  return [...new Set(values)];
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

function timesText(ratio) {
  return `${ratio < 10 ? ratio.toFixed(2) : digits(ratio)}×`;
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

// Nodes in which lines are not broken between a number and what it counts.
function prose(text) {
  return text.split(/(\d[\d.]* [A-Za-zµ%]\S*)/).map((part, index) => (index % 2 === 0 ? part : make("span", { class: "whole" }, part)));
}

// Rows are elements, or lists of cells, which are elements or texts. Headings are aligned as the cells below.
function table(kind, heading, rows) {
  const first = rows.find((row) => !(row instanceof Element)) || [];
  const isNumber = (cell) => cell instanceof Element && cell.classList.contains("number");
  const headings = heading.map((text, column) => make("th", { class: isNumber(first[column]) ? "number" : null }, text));
  const cells = (row) => row instanceof Element ? row
    : make("tr", {}, ...row.map((cell) => (cell instanceof Element ? cell : make("td", {}, cell))));
  return make("table", { class: kind },
    ...(heading.length > 0 ? [make("thead", {}, make("tr", {}, ...headings))] : []), make("tbody", {}, ...rows.map(cells)));
}

function number(text) {
  return make("td", { class: "number" }, text);
}

function append(node, section) {
  if (section !== null) {
    node.append(section);
  }
}

// For a command that was built without the charts' library.
function missingCharts() {
  return hasCharts ? null : make("p", { class: "missing" }, "The charts are missing: the command that wrote this was built without D3 " +
    "(Debian package node-d3). All numbers are in the tables.");
}

// The sentences on what stands out.
function findingsList() {
  return data.findings.length === 0 ? null
    : make("ul", { class: "findings" }, ...data.findings.map(([tone, text]) => make("li", { class: tone }, ...prose(text))));
}

// Redraws what is as wide as the page.
function onResize(redraw) {
  let width = document.documentElement.clientWidth;
  window.addEventListener("resize", () => {
    if (document.documentElement.clientWidth !== width) {
      width = document.documentElement.clientWidth;
      hideTip();
      requestAnimationFrame(redraw);
    }
  });
}

let tip = null;

function showTip(lines, left, top) {
  hideTip();
  tip = make("div", { class: "tip" }, ...lines.map((line, index) => make("div", {}, index === 0 ? make("b", {}, line) : line)));
  document.body.append(tip);
  const space = document.documentElement.clientWidth;
  tip.style.left = `${window.scrollX + Math.max(4, Math.min(left + 14, space - tip.offsetWidth - 8))}px`;
  tip.style.top = `${window.scrollY + top + 14}px`;
}

function hideTip() {
  if (tip !== null) {
    tip.remove();
    tip = null;
  }
}
