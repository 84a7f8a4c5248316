"use strict";
// What all pages draw with. All text goes through textContent, so nothing in a report can be markup.
const SVG = "http://www.w3.org/2000/svg";
const COLOURS = 8;
const page = document.getElementById("page");

function make(tag, attributes, ...children) {
  return fill(document.createElement(tag), attributes, children);
}
function draw(tag, attributes, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}
function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) element.setAttribute(name, value);
  for (const child of children.flat()) if (child !== null && child !== undefined) element.append(child);
  return element;
}
const colour = i => `var(--s${i % COLOURS})`;
const fixed = (number, digits) => number.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
const count = number => number.toLocaleString("en");
const seconds = s => s < 10 ? fixed(s, 2) + " s" : s < 120 ? fixed(s, 1) + " s" : fixed(s / 60, 1) + " min";
function bytes(amount) {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let unit = 0;
  while (amount >= 1024 && unit < units.length - 1) { amount /= 1024; unit++; }
  return fixed(amount, unit === 0 ? 0 : amount < 10 ? 2 : 1) + " " + units[unit];
}
// A rate in the same units, to three digits.
function rate(perSecond) {
  const units = ["B/s", "KiB/s", "MiB/s", "GiB/s", "TiB/s"];
  let unit = 0;
  while (perSecond >= 1024 && unit < units.length - 1) { perSecond /= 1024; unit++; }
  return fixed(perSecond, unit === 0 || perSecond >= 100 ? 0 : perSecond < 10 ? 2 : 1) + " " + units[unit];
}
// What charts of rates count in.
const MEBIBYTE = 2 ** 20;
const card = (title, ...content) => make("section", { class: "card" }, make("h2", {}, title), ...content);
// A colour by its number, or one of the few that are no node's.
const KERNEL = "var(--soft)", OUTSIDE = "var(--rest)";
const key = (name, of) => make("span", { class: "key" }, make("i", { style: `background:${typeof of === "number" ? colour(of) : of}` }), name);

// Columns that begin with # hold numbers. A column that says nothing of any row is left out.
function table(columns, rows) {
  const numeric = i => columns[i].startsWith("#");
  const told = columns.map((_, i) => i).filter(i => rows.some(row => row[i] !== "" && row[i] !== null && row[i] !== undefined));
  const hasHead = told.some(i => columns[i] !== "");
  return make("div", { class: "scroll" }, make("table", {},
    hasHead ? make("thead", {}, make("tr", {}, told.map(i =>
      make("th", numeric(i) ? { class: "number" } : {}, columns[i].replace("#", ""))))) : null,
    make("tbody", {}, rows.map(row => make("tr", {}, told.map(i =>
      make("td", numeric(i) ? { class: "number" } : {}, row[i] ?? "")))))));
}
// A session that failed has a red end where it ended.
function bar(parts, whole, failed) {
  const pieces = parts.map(([value, fill]) => make("i", { style: `width:${whole > 0 ? 100 * value / whole : 0}%;background:${fill}` }));
  return make("div", { class: "bar" }, pieces, failed ? make("i", { style: "width:4px;background:var(--bad)", class: "ended" }) : null);
}
// The kernel counts CPU in hundredths of a second: of a few of them nothing is known.
const cpuSeconds = s => s < 0.05 ? "< 0.05 s" : seconds(s);
// A figure, or nothing where there is none.
const some = (amount, show) => amount > 0 ? show(amount) : "";
const badge = (isGood, text) => make("span", { class: `badge ${isGood ? "good" : "bad"}` }, `${isGood ? "\u2713" : "\u2717"} ${text}`);
const tileRow = values => make("div", { class: "tiles" }, values.map(([value, name]) => make("div", { class: "tile" }, make("b", {}, value), make("span", {}, name))));
const long = text => make("span", { class: "long" }, text);
function niceStep(most, lines) {
  const rough = most / lines, scale = 10 ** Math.floor(Math.log10(rough));
  return [1, 2, 5, 10].map(n => n * scale).find(step => step >= rough);
}
