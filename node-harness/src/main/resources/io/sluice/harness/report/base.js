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
const card = (title, ...content) => make("section", { class: "card" }, make("h2", {}, title), ...content);
// A colour by its number, or one of the few that are no node's.
const KERNEL = "var(--soft)", OUTSIDE = "var(--rest)";
const key = (name, of) => make("span", { class: "key" }, make("i", { style: `background:${typeof of === "number" ? colour(of) : of}` }), name);

function table(columns, rows) {
  const numeric = i => columns[i].startsWith("#");
  return make("div", { class: "scroll" }, make("table", {},
    make("thead", {}, make("tr", {}, columns.map((name, i) =>
      make("th", numeric(i) ? { class: "number" } : {}, name.replace("#", ""))))),
    make("tbody", {}, rows.map(row => make("tr", {}, row.map((cell, i) =>
      make("td", numeric(i) ? { class: "number" } : {}, cell)))))));
}
function bar(parts, whole) {
  return make("div", { class: "bar" }, parts.map(([value, fill]) =>
    make("i", { style: `width:${whole > 0 ? 100 * value / whole : 0}%;background:${fill}` })));
}
function niceStep(most, lines) {
  const rough = most / lines, scale = 10 ** Math.floor(Math.log10(rough));
  return [1, 2, 5, 10].map(n => n * scale).find(step => step >= rough);
}
