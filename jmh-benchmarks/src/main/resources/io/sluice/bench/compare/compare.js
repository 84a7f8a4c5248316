"use strict";
// Draws a comparison. All text goes through textContent, so nothing in a result can be markup.
(() => {
  const SVG = "http://www.w3.org/2000/svg";
  const page = document.getElementById("page");
  const result = JSON.parse(document.getElementById("report").textContent);

  const make = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
  const draw = (tag, attributes, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);
  function fill(element, attributes, children) {
    for (const [name, value] of Object.entries(attributes || {})) element.setAttribute(name, value);
    for (const child of children.flat()) if (child !== null && child !== undefined) element.append(child);
    return element;
  }
  const colour = i => `var(--s${i % 8})`;
  function number(value) {
    const digits = value >= 100 ? 0 : value >= 10 ? 1 : value >= 1 ? 2 : 3;
    return value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
  }
  function bytes(amount) {
    const units = ["B", "KiB", "MiB", "GiB", "TiB"];
    let unit = 0;
    while (amount >= 1024 && unit < units.length - 1) { amount /= 1024; unit++; }
    return number(amount) + " " + units[unit];
  }
  const spread = s => `${number(s.median)} (${number(s.min)} to ${number(s.max)})`;
  // Less than three steps of the clock are a bound, as on the terminal.
  const gibibytes = result.data_bytes / 2 ** 30;
  const cpu = s => Math.round(s.median * gibibytes / 0.01) >= 3 ? spread(s) : "< " + number(0.03 / gibibytes);
  const card = (title, ...content) => make("section", { class: "card" }, make("h2", {}, title), ...content);

  function table(columns, rows) {
    const style = i => columns[i].startsWith("#") ? { class: "number" } : {};
    return make("div", { class: "scroll" }, make("table", {},
      make("thead", {}, make("tr", {}, columns.map((name, i) => make("th", style(i), name.replace("#", ""))))),
      make("tbody", {}, rows.map(row => make("tr", {}, row.map((cell, i) => make("td", style(i), cell)))))));
  }

  function quantile(sorted, q) {
    const at = q * (sorted.length - 1), below = Math.floor(at), above = Math.min(below + 1, sorted.length - 1);
    return sorted[below] + (at - below) * (sorted[above] - sorted[below]);
  }

  // One row for each mode: box from the lower to the upper quartile, line at the median, whiskers to the ends, every
  // round as a dot. The axis is logarithmic, since modes differ by orders of magnitude; a round of which nothing was
  // counted is at its left end.
  function boxes(unit, series) {
    const longest = Math.max(...series.map(s => s.name.length));
    const left = Math.max(190, 24 + 7.2 * longest), right = 780, rowHeight = 34, top = 8;
    const all = series.flatMap(s => s.values).filter(v => v > 0);
    if (all.length === 0) return make("p", {}, "Nothing was counted.");
    const low = Math.floor(Math.log10(Math.min(...all))), high = Math.ceil(Math.log10(Math.max(...all)) + 1e-9);
    const span = Math.max(1, high - low);
    const x = v => v > 0 ? left + (right - left) * (Math.log10(v) - low) / span : left;
    const bottom = top + rowHeight * series.length;
    const svg = draw("svg", { viewBox: `0 0 900 ${bottom + 30}`, role: "img" });
    for (let power = low; power <= low + span; power++) {
      const at = x(10 ** power);
      svg.append(draw("line", { x1: at, x2: at, y1: top, y2: bottom, class: "grid" }));
      svg.append(draw("text", { x: at, y: bottom + 18, "text-anchor": "middle" },
        (10 ** power).toLocaleString("en", { maximumFractionDigits: 6 }) + (power === low + span ? " " + unit : "")));
    }
    series.forEach((s, i) => {
      const values = [...s.values].sort((a, b) => a - b);
      const y = top + rowHeight * (i + 0.5);
      svg.append(draw("text", { x: left - 12, y: y + 4, "text-anchor": "end", class: "strong" }, s.name));
      if (values.length === 0) return;
      const [min, q1, median, q3, max] = [0, 0.25, 0.5, 0.75, 1].map(q => quantile(values, q));
      svg.append(draw("line", { x1: x(min), x2: x(max), y1: y, y2: y, stroke: colour(i), "stroke-width": 1.5 }));
      for (const end of [min, max])
        svg.append(draw("line", { x1: x(end), x2: x(end), y1: y - 6, y2: y + 6, stroke: colour(i), "stroke-width": 1.5 }));
      svg.append(draw("rect", { x: x(q1), y: y - 9, width: Math.max(2, x(q3) - x(q1)), height: 18, rx: 3,
        fill: colour(i), "fill-opacity": 0.3, stroke: colour(i) }));
      svg.append(draw("line", { x1: x(median), x2: x(median), y1: y - 9, y2: y + 9, stroke: colour(i), "stroke-width": 3 }));
      for (const value of values)
        svg.append(draw("circle", { cx: x(value), cy: y, r: 2.4, fill: "var(--ink)", "fill-opacity": 0.55 },
          draw("title", {}, `${number(value)} ${unit}`)));
      svg.append(draw("text", { x: Math.min(x(max) + 10, 850), y: y + 4 }, number(median)));
    });
    return svg;
  }

  const modes = result.modes;
  page.append(make("header", {},
    make("div", {}, make("h1", {}, "Ways to move a table"),
      make("p", {}, `${result.table}, ranges: ${result.ranges}. ${bytes(result.data_bytes)} of rows, `
        + `${bytes(result.stored_bytes)} at rest in ${result.source_sstables} SSTables. `
        + `${result.rounds} rounds, modes interleaved; every run ends when all is durable and in its place.`),
      make("p", {}, result.machine)),
    make("span", { class: "badge good" }, "\u2713 same content in all modes")));
  page.append(card("Throughput, rows a second by their uncompressed bytes: further right is better",
    boxes("MiB/s", modes.map(m => ({ name: m.mode, values: m.mib_per_s_all })))));
  page.append(card("CPU of both processes for a GiB of rows: further left is better",
    boxes("s/GiB", modes.map(m => ({ name: m.mode, values: m.cpu_s_per_gib_all })))));
  page.append(card("Figures: median (least to greatest)", table(
    ["Mode", "#MiB/s", "#CPU s/GiB, sender", "#receiver", "#Wire to rest", "#Allocated, MiB/GiB", "#SSTables"],
    modes.map(m => [m.mode, spread(m.mib_per_s), cpu(m.sender_cpu_s_per_gib), cpu(m.receiver_cpu_s_per_gib),
      m.wire_to_rest ? number(m.wire_to_rest.median) : "\u2013",
      m.allocated_mib_per_gib ? number(m.allocated_mib_per_gib.median) : "\u2013", m.sstables ? String(m.sstables) : "\u2013"]))));
  page.append(card("Beside what others published", make("div", {}, result.published.map(p =>
    make("p", { style: "margin-bottom:10px" },
      make("b", { style: "color:var(--ink)" }, `${p.claim}: ${p.published_ratio}. `
        + `Here: ${p.our_ratio ? spread(p.our_ratio) : "no ratio, as the clock hardly counted that CPU"}. `), p.differs)))));
  page.append(card("What the modes are", make("div", {}, modes.map(m =>
    make("p", {}, make("b", { style: "color:var(--ink)" }, m.mode + ": "), m.what)))));
  page.append(make("footer", {}, `Content digest ${result.digest}. Loopback, warm page cache: no figure of a network or a disk.`));
})();
