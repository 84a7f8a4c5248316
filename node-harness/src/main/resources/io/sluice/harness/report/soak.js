// Draws the report of a soak, with what base.js has: a strip for each kind of thing that happened, and a bar for each time.
(() => {
  const report = JSON.parse(document.getElementById("report").textContent);
  const names = [...new Set(report.bars.map(bar => bar.kind))];

  function header() {
    return make("header", {}, make("div", {}, make("h1", {}, report.title), make("p", {}, report.text)), badge(report.isGood, report.outcome));
  }
  function tiles() {
    return make("div", { class: "tiles" }, report.tiles.map(tile =>
      make("div", { class: "tile" }, make("b", {}, tile.value), make("span", {}, tile.name))));
  }
  // One bar for each time, as high as it took; hollow if it did not go through at once, red if it ended badly.
  function bars() {
    const width = 1100, height = 300, left = 54, right = 12, bottom = 34, top = 14;
    const highest = Math.max(...report.bars.map(bar => bar.seconds), 1e-9), step = niceStep(highest * 1.05, 5), most = Math.ceil(highest * 1.05 / step) * step;
    const y = v => height - bottom - (height - top - bottom) * v / most, slot = (width - left - right) / Math.max(1, report.bars.length), thick = Math.max(1, Math.min(24, slot * 0.72));
    const parts = [];
    for (let v = 0; v <= most + step / 2; v += step) parts.push(draw("line", { x1: left, x2: width - right, y1: y(v), y2: y(v), class: v === 0 ? "axis" : "grid" }),
      draw("text", { x: left - 8, y: y(v) + 4, "text-anchor": "end" }, fixed(v, step < 1 ? 1 : 0) + " s"));
    const every = niceStep(report.bars.length, 12);
    report.bars.forEach((bar, i) => {
      const at = left + slot * (i + 0.5), paint = bar.isGood ? colour(names.indexOf(bar.kind)) : "var(--bad)";
      parts.push(draw("g", {}, draw("title", {}, `${bar.number}, ${bar.kind}: ${bar.text}`),
        draw("rect", { x: at - thick / 2, y: y(bar.seconds), width: thick, height: Math.max(1, y(0) - y(bar.seconds)), fill: paint, stroke: paint, "stroke-width": 1.2, "fill-opacity": bar.isAgain ? 0.18 : 0.85 })));
      if (bar.number % every === 0) parts.push(draw("text", { x: at, y: height - 12, "text-anchor": "middle" }, String(bar.number)));
    });
    return card(report.barsTitle, draw("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": report.barsTitle }, parts),
      make("div", { style: "margin-top:8px" }, names.map((name, i) => key(name, i)), make("span", { class: "key" }, report.barsKey)));
  }
  // When, by kind: each mark is one event, at the share of the way at which it came.
  function strips() {
    const kinds = [...new Set(report.marks.map(mark => mark.kind))], width = 1100, row = 34, left = 170, right = 20, height = kinds.length * row + 44;
    const x = share => left + (width - left - right) * share, parts = [];
    for (let tenth = 0; tenth <= 10; tenth += 2) parts.push(draw("line", { x1: x(tenth / 10), x2: x(tenth / 10), y1: 8, y2: height - 34, class: "grid" }),
      draw("text", { x: x(tenth / 10), y: height - 14, "text-anchor": "middle" }, tenth * 10 + " %"));
    kinds.forEach((kind, i) => {
      const y = 8 + row * (i + 0.5), all = report.marks.filter(mark => mark.kind === kind), seat = names.indexOf(kind);
      parts.push(draw("line", { x1: left, x2: width - right, y1: y, y2: y, class: "axis" }),
        draw("text", { x: left - 12, y: y + 4, "text-anchor": "end", class: "strong" }, `${kind} (${all.length})`));
      all.forEach(mark => parts.push(draw("circle", { cx: x(Math.min(1, mark.share)), cy: y, r: 6, fill: colour(seat < 0 ? i : seat), "fill-opacity": 0.55 }, draw("title", {}, mark.text))));
    });
    return card(report.marksTitle, draw("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": report.marksTitle }, parts));
  }

  document.title = `${report.title} \u2013 Sluice`;
  const content = [header(), tiles()];
  if (report.marks.length) content.push(strips());
  if (report.bars.length) content.push(bars());
  report.tables.filter(one => one.rows.length).forEach(one => content.push(card(one.title, table(one.columns, one.rows.map(cells =>
    cells.map(cell => cell.length > 60 ? make("span", { class: "long" }, cell) : cell))))));
  content.push(make("footer", {}, report.footer));
  page.replaceChildren(...content);
  page.dataset.drawn = "ended";
})();
