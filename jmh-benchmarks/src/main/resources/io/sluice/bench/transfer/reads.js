// Draws how reads fared beside a stream, with what base.js and charts.js have.
(() => {
  const result = JSON.parse(document.getElementById("report").textContent);
  const figure = value => fixed(value, value >= 10 ? 0 : value >= 1 ? 1 : 2);
  const spread = s => `${figure(s.median)} (${figure(s.least)} to ${figure(s.most)})`;
  const millis = micros => micros / 1000;
  const duration = micros => micros >= 1e6 ? `${figure(micros / 1e6)} s` : micros >= 1000 ? `${figure(millis(micros))} ms` : `${fixed(micros, 0)} µs`;
  // Of some hundred thousands: too many for the arguments of one call.
  const times = result.runs.flatMap(run => [...run.curve.map(point => point.micros), ...run.last.map(read => read.took)]);
  const low = Math.floor(Math.log10(times.reduce((a, b) => Math.min(a, Math.max(1, b)), Infinity)));
  const high = Math.ceil(Math.log10(times.reduce((a, b) => Math.max(a, b), 10)));

  // An axis of durations, each ten times the one before, from the fastest read to the slowest.
  function axis(width, height, left, right, top, bottom) {
    const y = micros => height - bottom - (height - top - bottom) * (Math.log10(Math.max(1, micros)) - low) / (high - low);
    const parts = [];
    for (let power = low; power <= high; power++) parts.push(
      draw("line", { x1: left, x2: width - right, y1: y(10 ** power), y2: y(10 ** power), class: power === low ? "axis" : "grid" }),
      draw("text", { x: left - 8, y: y(10 ** power) + 4, "text-anchor": "end" }, duration(10 ** power)));
    return { y, parts };
  }
  function curves() {
    const width = isNarrow() ? 360 : 1100, height = 330, left = 58, right = 16, top = 12, bottom = 34;
    const { y, parts } = axis(width, height, left, right, top, bottom), most = Math.max(...result.runs[0].curve.map(point => point.nines));
    const x = nines => left + (width - left - right) * nines / most;
    [["fastest", 0], ["50 %", Math.log10(2)], ["90 %", 1], ["99 %", 2], ["99.9 %", 3]].forEach(([name, nines]) => parts.push(
      draw("line", { x1: x(nines), x2: x(nines), y1: top, y2: height - bottom, class: "grid" }),
      draw("text", { x: x(nines), y: height - 12, "text-anchor": nines === most ? "end" : nines ? "middle" : "start" }, name)));
    result.runs.forEach((run, i) => parts.push(draw("path", { d: "M" + run.curve.map(point => `${x(point.nines).toFixed(1)},${y(point.micros).toFixed(1)}`).join("L"),
      fill: "none", stroke: colour(i), "stroke-width": 2, "stroke-linejoin": "round", class: "rate" }, draw("title", {}, run.name))));
    return card("So many of the reads took at most as long: lower is better (all rounds, bursts included)",
      draw("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": "Distribution of the latency of reads" }, parts),
      make("div", { class: "keys" }, result.runs.map((run, i) => key(run.name, i))));
  }
  // One dot for each read of the last round, where it was due.
  function dots(run, i) {
    const width = isNarrow() ? 360 : 1100, height = 190, left = 58, right = 16, top = 10, bottom = 30, ends = result.secondsPerRun * 1e6;
    const { y, parts } = axis(width, height, left, right, top, bottom), x = due => left + (width - left - right) * due / ends;
    for (let s = 4; s < result.secondsPerRun; s += 5) parts.unshift(
      draw("rect", { x: x(s * 1e6), y: top, width: x((s + 1) * 1e6) - x(s * 1e6), height: height - top - bottom, fill: "var(--grid)" }, draw("title", {}, "burst")));
    const step = niceStep(result.secondsPerRun, isNarrow() ? 4 : 10);
    for (let s = 0; s <= result.secondsPerRun; s += step) parts.push(draw("text", { x: x(s * 1e6), y: height - 10, "text-anchor": "middle" }, fixed(s, 0) + " s"));
    parts.push(draw("path", { d: run.last.map(read => `M${x(read.due).toFixed(1)},${y(read.took).toFixed(1)}h0`).join(""), fill: "none", stroke: colour(i), "stroke-width": 3.2, "stroke-linecap": "round" }));
    return [make("h3", {}, key(`${run.name}: ${run.arrivedMibPerSecond.median > 0 ? figure(run.arrivedMibPerSecond.median) + " MiB/s arrive, p99 " + spread(run.p99Ratio) + " of that alone" : "nothing streams"}`, i)),
      draw("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `Reads, ${run.name}` }, parts)];
  }
  function header() {
    return make("header", {}, make("div", {}, make("h1", {}, "Reads of a database beside a stream"),
      make("p", {}, `${result.rounds} rounds of ${result.secondsPerRun} s for each run, in turns. ${result.versions}.`),
      make("p", {}, `${result.machine}. Began ${result.startedAt.replace("T", " ").slice(0, 19)} UTC, load of the minute before ${fixed(result.loadBefore, 2)}.`)));
  }
  const tiles = () => tileRow(result.runs.slice(1).map(run => [spread(run.p99Ratio), `p99 of reads ÷ alone, ${run.name}`]));
  function figures() {
    return card("Reads outside bursts: median of the rounds (least to greatest)", table(
      ["Stream", "#Arrives, MiB/s", "#p50, µs", "#p99, µs", "#p99 ÷ alone"],
      result.runs.map(run => [run.name, run.arrivedMibPerSecond.median > 0 ? spread(run.arrivedMibPerSecond) : "", spread(run.p50Micros), spread(run.p99Micros), spread(run.p99Ratio)])));
  }
  function more() {
    return card("Reads in bursts, and all writes", table(
      ["Stream", "#Reads: p99, µs", "#p99 ÷ alone", "#Writes: p99, µs", "#p99 ÷ alone"],
      result.runs.map(run => [run.name, spread(run.burstP99Micros), spread(run.burstP99Ratio), spread(run.writeP99Micros), spread(run.writeP99Ratio)])));
  }

  document.title = "Reads beside a stream \u2013 Sluice";
  drawn(() => {
    page.replaceChildren(header(), tiles(), curves(),
      card("Every read of the last round, when it was due; bursts are shaded", ...result.runs.flatMap(dots)), figures(), more(),
      card("What is measured", make("p", {}, "A client reads 100 partitions and writes 100 rows a second, and 500 of each in every fifth second, each counted from when it was due. "
        + "Ratios are of the same round. 'signal' has no limit, but the store says when its reads are slow.")),
      card("To repeat it", make("code", { class: "long" }, result.command)),
      make("footer", {}, "Source, node and client share this machine; the partitions that are read fit in memory."));
    page.dataset.drawn = "ended";
  });
})();
