// Charts of the pages, with what base.js has: rates over time, and boxes.

const isNarrow = () => page.clientWidth < 560;
// Texts keep their size where there is little room: the picture is smaller instead.
const chartWidth = () => isNarrow() ? 360 : 640;

// The rate between one sample and another, as steps [from, to, rate] in runs without a break. They begin before the first byte
// and end with the last one; where nothing was sampled for a while, nothing is known, and the run breaks. A step takes as long
// as some extents do: looked at more often, a slow transfer would seem to rush and to stand still in turns.
function rates(samples, value) {
  const known = samples.map(sample => ({ at: sample.seconds, is: value(sample) })).filter(one => one.is !== undefined);
  // A session that begins again counts anew; nothing flows backwards for that.
  for (let i = 1; i < known.length; i++) known[i].is = Math.max(known[i].is, known[i - 1].is);
  const first = known.findIndex(one => one.is > known[0].is);
  if (first < 0) return [];
  const last = known.findIndex(one => one.is === known[known.length - 1].is), start = known[first - 1];
  const window = Math.max(0.25, (known[last].at - start.at) / 24), stall = Math.max(2, 3 * window);
  const gaps = known.slice(1).map((one, i) => one.at - known[i].at).sort((a, b) => a - b);
  const unseen = Math.max(1, 5 * gaps[Math.floor(gaps.length / 2)]);
  const runs = [[]];
  let from = start, changed = start;
  const step = (a, b) => { if (b.at > a.at) runs[runs.length - 1].push([a.at, b.at, (b.is - a.is) / (b.at - a.at)]); };
  for (let i = first; i <= last; i++) {
    const now = known[i], before = known[i - 1];
    if (now.at - before.at > unseen) {
      step(from, before);
      runs.push([]);
      from = changed = now;
    } else if (now.is > before.is) {
      if (now.at - changed.at > stall) {
        step(from, changed);
        step(changed, before);
        from = before;
      }
      changed = now;
      if (now.at - from.at >= window || i === last) {
        step(from, now);
        from = now;
      }
    }
  }
  return runs.map(joined(window)).filter(run => run.length);
}
// What is left at the end belongs to the step before it, if it is too short for one of its own.
const joined = window => run => {
  const [last, before] = [run[run.length - 1], run[run.length - 2]];
  if (!before || last[1] - last[0] >= window / 2) return run;
  const long = last[1] - before[0];
  return [...run.slice(0, -2), [before[0], last[1], (before[2] * (before[1] - before[0]) + last[2] * (last[1] - last[0])) / long]];
};

// Series are { name, colour, runs, killed, goesOn }; marks are { seconds, text }.
function chart(title, unit, series, marks, { height = 270, isWide = false } = {}) {
  const width = isWide && !isNarrow() ? 1100 : chartWidth(), left = 50, right = 12, bottom = 34;
  const steps = series.flatMap(one => one.runs.flat());
  if (!steps.length) return null;
  const mostX = Math.max(...steps.map(step => step[1]), ...marks.map(mark => mark.seconds)), highest = Math.max(...steps.map(step => step[2]), 1e-9);
  const x = s => left + (width - left - right) * s / (mostX || 1), texts = packed(marks, x, left, width - right), top = 14 + texts.height;
  const step = niceStep(highest * 1.05, 4), mostY = Math.ceil(highest * 1.05 / step) * step;
  const y = v => height - bottom - (height - top - bottom) * v / mostY;
  const parts = [];
  for (let v = 0; v <= mostY + step / 2; v += step) {
    parts.push(draw("line", { x1: left, x2: width - right, y1: y(v), y2: y(v), class: v === 0 ? "axis" : "grid" }),
      draw("text", { x: left - 8, y: y(v) + 4, "text-anchor": "end" }, step < 1 ? fixed(v, step < 0.1 ? 2 : 1) : count(Math.round(v))));
  }
  const stepX = niceStep(mostX || 1, isNarrow() ? 4 : isWide ? 12 : 6);
  for (let s = 0; s <= mostX; s += stepX) parts.push(draw("text", { x: x(s), y: height - 12, "text-anchor": "middle" }, fixed(s, stepX < 1 ? 1 : 0) + " s"));
  marks.forEach(mark => parts.push(draw("g", {}, draw("title", {}, mark.text),
    draw("line", { x1: x(mark.seconds), x2: x(mark.seconds), y1: 4, y2: height - bottom, stroke: "var(--bad)", "stroke-dasharray": "4 3" }))));
  parts.push(...texts.drawn);
  series.forEach(one => {
    const paint = one.colour, point = (s, v) => `${x(s).toFixed(1)},${y(v).toFixed(1)}`;
    one.runs.forEach((run, i) => {
      // The first run rises from nothing and the last one falls back to it; at a break neither is known.
      const path = (i === 0 ? `M${point(run[0][0], 0)}L` : "M") + run.map(([a, b, rate]) => `${point(a, rate)}L${point(b, rate)}`).join("L")
        + (i === one.runs.length - 1 && !one.goesOn ? `L${point(run[run.length - 1][1], 0)}` : "");
      parts.push(draw("path", { d: path, fill: "none", stroke: paint, "stroke-width": one.thick || 2, "stroke-linejoin": "round", class: "rate" }, draw("title", {}, one.name)));
    });
    if (one.killed && one.runs.length) parts.push(cross(x(one.runs[one.runs.length - 1].slice(-1)[0][1]), y(0), 5));
  });
  return card(`${title}, ${unit}`, draw("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": title }, parts),
    make("div", { class: "keys" }, series.map(one => key(one.killed ? `${one.name}, killed` : one.name, one.colour))));
}
// Of who was killed.
const cross = (x, y, half, paint = "var(--bad)") =>
  draw("path", { d: `M${x - half},${y - half}L${x + half},${y + half}M${x + half},${y - half}L${x - half},${y + half}`, stroke: paint, "stroke-width": 2.5, class: "killed" });
// The texts of marks, in lines of their own above the curves: each in the first one where it touches no other.
function packed(marks, x, from, to) {
  const LINE = 15, LETTER = 6.3, ends = [], drawn = [];
  marks.forEach(mark => {
    const text = mark.text.length > 46 ? mark.text.slice(0, 45) + "\u2026" : mark.text, wide = text.length * LETTER;
    const isLeft = x(mark.seconds) + wide > to, start = isLeft ? Math.max(from, x(mark.seconds) - wide - 4) : x(mark.seconds) + 4;
    let line = ends.findIndex(taken => taken.every(([a, b]) => start > b + 8 || start + wide < a - 8));
    if (line < 0) line = ends.push([]) - 1;
    ends[line].push([start, start + wide]);
    drawn.push(draw("text", { x: isLeft ? start + wide : start, y: 14 + line * LINE, "text-anchor": isLeft ? "end" : "start" }, draw("title", {}, mark.text), text));
  });
  return { drawn, height: ends.length * LINE };
}

// One row for each { name, spread, colour }: a box from the lower to the upper quartile, a post at the median, whiskers to the
// ends, and a dot for each run. All have one axis, from 0 on.
function boxes(label, rows, unit) {
  const width = isNarrow() ? 360 : 1100, left = 20, right = 24, row = 74, bottom = rows.length * row + 8;
  const most = Math.max(...rows.map(one => one.spread.most)) * 1.05 || 1, x = v => left + (width - left - right) * v / most;
  const parts = [], step = niceStep(most, isNarrow() ? 4 : 8);
  for (let v = 0; v <= most; v += step) parts.push(draw("line", { x1: x(v), x2: x(v), y1: 24, y2: bottom, class: v === 0 ? "axis" : "grid" }),
    draw("text", { x: x(v), y: bottom + 18, "text-anchor": "middle" }, fixed(v, step < 1 ? 1 : 0) + unit));
  rows.forEach(({ name, spread, colour: paint }, i) => {
    const middle = i * row + 44;
    const line = (from, to, thick) => draw("line", { x1: x(from), x2: x(to), y1: middle, y2: middle, stroke: paint, "stroke-width": thick });
    const post = (at, half, thick) => draw("line", { x1: x(at), x2: x(at), y1: middle - half, y2: middle + half, stroke: paint, "stroke-width": thick });
    parts.push(draw("text", { x: left, y: i * row + 18, class: "strong" }, `${name}: median ${fixed(spread.median, 2)}${unit}`));
    if (spread.values.length > 1) parts.push(line(spread.least, spread.lowerQuartile, 2), line(spread.upperQuartile, spread.most, 2), post(spread.least, 8, 2), post(spread.most, 8, 2),
      draw("rect", { x: x(spread.lowerQuartile), y: middle - 15, width: Math.max(1, x(spread.upperQuartile) - x(spread.lowerQuartile)), height: 30, fill: paint, "fill-opacity": 0.25, stroke: paint, "stroke-width": 2, class: "box" }),
      post(spread.median, 15, 4));
    parts.push(...spread.values.map(v => draw("circle", { cx: x(v), cy: spread.values.length > 1 ? middle + 22 : middle, r: 3, fill: paint }, draw("title", {}, fixed(v, 3) + unit))));
  });
  return draw("svg", { viewBox: `0 0 ${width} ${bottom + 26}`, role: "img", "aria-label": label }, parts);
}
const spreadText = (spread, show) => `median ${show(spread.median)}, quartiles ${show(spread.lowerQuartile)} and ${show(spread.upperQuartile)}, least ${show(spread.least)}, most ${show(spread.most)}`;

// Draws now, and again when there is more or less room.
function drawn(show) {
  show();
  let narrow = isNarrow();
  window.addEventListener("resize", () => { if (isNarrow() !== narrow) { narrow = isNarrow(); show(); } });
}
