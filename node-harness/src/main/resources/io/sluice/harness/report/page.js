// Draws the report of a run, with what base.js has.
(() => {
  // ---- header

  function verdict(report) {
    if (report.phase !== "ended") return make("span", { class: "badge busy" }, report.phase);
    if (report.failure && report.end.asExpected) return make("span", { class: "badge good" }, "\u2713 failed as expected");
    return report.verified ? make("span", { class: "badge good" }, "\u2713 verified")
      : make("span", { class: "badge bad" }, "\u2717 failed");
  }
  function header(report) {
    const setting = report.setting;
    const began = new Date(report.startedAt).toISOString().replace("T", " ").slice(0, 19) + " UTC";
    return make("header", {},
      make("div", {}, make("h1", {}, report.title),
        make("p", {}, `${setting.nodes} nodes, replication factor ${setting.replicationFactor}, ${setting.data}. Began ${began}.`)),
      verdict(report));
  }
  function tiles(report) {
    const moved = report.transfer;
    const values = [];
    if (moved && report.phase === "streaming") values.push(...ahead(report));
    if (moved) {
      const cpu = report.processes.reduce((sum, one) => sum + (one.cpuSeconds ?? 0), 0);
      values.push([bytes(moved.bytes), "streamed"], [seconds(moved.seconds), "streaming time"],
        [fixed(moved.megabytesPerSecond, moved.megabytesPerSecond < 10 ? 2 : 0) + " MB/s", "mean rate"], [count(moved.files), "files"]);
      const installed = report.results.filter(one => one.state === "installed").reduce((sum, one) => sum + one.sstables, 0);
      if (installed) values.push([count(installed), "SSTables"]);
      if (moved.bytes > 0 && cpu > 0 && report.phase !== "streaming") values.push([fixed(cpu / moved.bytes * 1e9, 2) + " s", "of CPU per GB"]);
    }
    if (report.checks.length) values.push([`${report.checks.filter(c => c.equal).length} of ${report.checks.length}`, "ranges equal"]);
    if (report.load) values.push([count(report.load.acknowledged), `writes, ${count(report.load.missing)} missing`]);
    return make("div", { class: "tiles" }, values.map(([value, name]) => make("div", { class: "tile" }, make("b", {}, value), make("span", {}, name))));
  }

  // How far it is, and how long still, by the rate of the last five seconds.
  function ahead(report) {
    const whole = report.sources.reduce((sum, one) => sum + Math.max(one.bytes, one.bytesTotal - one.bytesResumed), 0);
    const all = sample => Object.values(sample.receivedBytes).reduce((a, b) => a + b, 0);
    const last = report.samples[report.samples.length - 1], then = report.samples.find(one => last && one.seconds >= last.seconds - 5);
    const rate = then && last.seconds > then.seconds ? (all(last) - all(then)) / (last.seconds - then.seconds) : 0;
    const share = whole ? Math.min(1, report.transfer.bytes / whole) : 0;
    return [[fixed(100 * share, 0) + " %", `of ${bytes(whole)}`],
      [rate > 0 && share < 1 ? seconds((whole - report.transfer.bytes) / rate) : "\u2013", "left, at this rate"]];
  }

  // ---- ring: tokens clockwise from the top; arrows from sources to who receives

  const angle = token => 2 * Math.PI * (Number(BigInt(token) + 2n ** 63n) / 2 ** 64) - Math.PI / 2;
  function ring(report) {
    const width = 460, height = 400, cx = width / 2, cy = height / 2, radius = 130;
    const at = (a, r) => [cx + r * Math.cos(a), cy + r * Math.sin(a)];
    const place = new Map();
    const isIn = member => member.role === "replacement"; // who joins has tokens of its own
    const old = report.members.filter(member => !isIn(member));
    const spread = old.some(member => member.tokens.length !== 1); // with many tokens each, a node has no one place
    const angleOf = member => spread ? 2 * Math.PI * old.findIndex(one => one.tokens[0] === member.tokens[0]) / old.length - Math.PI / 2 : angle(member.tokens[0]);
    for (const member of report.members) place.set(member.name, at(angleOf(member), radius * (isIn(member) ? 0.12 : 1)));
    // One arrow for each pair, however often its session was begun again.
    const pairs = new Map();
    report.sources.forEach(source => {
      const key = `${source.node} ${source.to}`, known = pairs.get(key);
      pairs.set(key, known ? { ...known, bytes: known.bytes + source.bytes, files: known.files + source.files } : { ...source, i: seat(report, source[end(report)]) });
    });
    const flows = [...pairs.values()].filter(flow => flow.bytes > 0);
    const most = Math.max(1, ...flows.map(flow => flow.bytes));
    // More figures than this lie on top of each other; they are in the table below, and each arrow says its own.
    const isTold = flows.length <= 6;
    const arrows = flows.map(flow => {
      const side = pairs.has(`${flow.to} ${flow.node}`) ? 7 : 0; // two that meet would hide each other
      return arrow(place.get(flow.node), place.get(flow.to), flow, most, [cx, cy], side, isTold);
    });
    const ticks = report.members.filter(m => !isIn(m)).flatMap(member => member.tokens.map(token => {
      const [x1, y1] = at(angle(token), radius - 5), [x2, y2] = at(angle(token), radius + 5);
      return draw("line", { x1, y1, x2, y2, class: "axis", "stroke-width": 2 });
    }));
    const dots = report.members.map(member => dot(member, place.get(member.name), report, [cx, cy]));
    return card("Who sent what to whom",
      draw("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": "The ring, with arrows from who sent to who received" },
        draw("circle", { cx, cy, r: radius, fill: "none", class: "axis", "stroke-width": 2 }), ticks, arrows, dots));
  }
  function arrow(from, to, source, most, centre, side, isTold) {
    if (!from || !to) return null;
    const i = source.i;
    const thick = 2 + 8 * source.bytes / most, gap = 18, head = 7 + thick;
    const length = Math.hypot(to[0] - from[0], to[1] - from[1]) || 1;
    const ux = (to[0] - from[0]) / length, uy = (to[1] - from[1]) / length;
    const beside = ([x, y]) => [x - uy * side, y + ux * side];
    const start = beside([from[0] + ux * gap, from[1] + uy * gap]), end = beside([to[0] - ux * (gap + 2), to[1] - uy * (gap + 2)]);
    const neck = [end[0] - ux * head, end[1] - uy * head];
    const wing = half => `${neck[0] - uy * half * head * 0.6},${neck[1] + ux * half * head * 0.6}`;
    // Nearer to who sends: where arrows meet there is no room.
    const middle = [start[0] + (neck[0] - start[0]) * 0.4, start[1] + (neck[1] - start[1]) * 0.4];
    const away = (middle[0] - centre[0]) * -uy + (middle[1] - centre[1]) * ux >= 0 ? 1 : -1;
    const isFlat = Math.abs(uy) < 0.4, off = 9 + thick / 2 + (isFlat ? 26 * Math.abs(uy) : 0);
    const lx = middle[0] - uy * away * off, ly = middle[1] + ux * away * off;
    const anchor = isFlat ? "middle" : lx > middle[0] ? "start" : "end";
    return draw("g", {},
      draw("title", {}, `${source.node} to ${source.to}: ${bytes(source.bytes)}, ${source.files} files, ${source.mode}`),
      draw("line", { x1: start[0], y1: start[1], x2: neck[0], y2: neck[1], stroke: colour(i), "stroke-width": thick }),
      draw("polygon", { points: `${end[0]},${end[1]} ${wing(1)} ${wing(-1)}`, fill: colour(i) }),
      isTold ? draw("text", { x: lx, y: ly + 4, "text-anchor": anchor, class: "strong" }, bytes(source.bytes)) : null);
  }
  function dot(member, [x, y], report, [cx, cy]) {
    const dead = member.role === "dead", inside = member.role === "replacement", fresh = inside || ["joining", "receiver"].includes(member.role);
    const takesPart = report.sources.some(source => source.node === member.name || source.to === member.name);
    const paint = dead ? "var(--bad)" : takesPart || fresh ? colour(seat(report, member.name)) : "var(--faint)";
    const distance = Math.hypot(x - cx, y - cy) || 1;
    // Outside of the circle; who came for the dead one, towards that: no arrow comes from there.
    const [lx, ly] = [x + (x - cx) / distance * 24, y + (y - cy) / distance * 24];
    const anchor = Math.abs(lx - x) < 8 ? "middle" : lx > x ? "start" : "end";
    const up = ly < y - 8;
    return draw("g", {},
      draw("title", {}, `${member.name} at ${member.address}, ${member.role}`),
      draw("circle", { cx: x, cy: y, r: 12, fill: dead ? "var(--card)" : paint, stroke: paint, "stroke-width": 2.5 }),
      dead ? draw("path", { d: `M${x - 5},${y - 5}L${x + 5},${y + 5}M${x + 5},${y - 5}L${x - 5},${y + 5}`, stroke: paint, "stroke-width": 2.5 }) : null,
      draw("text", { x: lx, y: ly + (up ? -10 : 2), "text-anchor": anchor, class: "strong" }, member.name),
      draw("text", { x: lx, y: ly + (up ? 5 : 17), "text-anchor": anchor }, member.role));
  }

  // ---- lines over time

  // Progress is told extent by extent, megabytes at a time: so a rate is that from one step to the next one. Looked at
  // more often than that, a slow transfer would seem to rush and to stand still in turns.
  function rates(samples, value) {
    if (samples.length < 2) return [];
    const first = samples[0].seconds, last = samples[samples.length - 1].seconds, window = Math.max(0.25, (last - first) / 24);
    const points = [];
    let from = samples[0], before = value(from);
    for (const sample of samples) {
      const time = sample.seconds - from.seconds, now = value(sample);
      // A session that is begun again counts anew; nothing flows backwards for that.
      if (now < before) before = now;
      if (now === before || time < window) continue;
      points.push([(sample.seconds + from.seconds) / 2, (now - before) / time]);
      [from, before] = [sample, now];
    }
    if (!points.length) return [[first, 0], [last, 0]];
    // Until it began, and when it had ended, nothing flowed.
    if (last - from.seconds > 4 * window) points.push([from.seconds, points[points.length - 1][1]], [from.seconds + window, 0], [last, 0]);
    return points;
  }
  function chart(title, unit, series, marks, height = 270) {
    const width = 640, left = 54, right = 12, bottom = 34;
    const all = series.flatMap(one => one.points);
    if (!all.length) return card(title, make("p", {}, "No samples yet."));
    const mostX = Math.max(...all.map(p => p[0]), ...marks.map(m => m.seconds)), highest = Math.max(...all.map(p => p[1]), 1e-9);
    const x = s => left + (width - left - right) * s / (mostX || 1), texts = packed(marks, x, left, width - right), top = 14 + texts.height;
    const step = niceStep(highest * 1.05, 4), mostY = Math.ceil(highest * 1.05 / step) * step;
    const y = v => height - bottom - (height - top - bottom) * v / mostY;
    const parts = [];
    for (let v = 0; v <= mostY + step / 2; v += step) {
      parts.push(draw("line", { x1: left, x2: width - right, y1: y(v), y2: y(v), class: v === 0 ? "axis" : "grid" }),
        draw("text", { x: left - 8, y: y(v) + 4, "text-anchor": "end" }, step < 1 ? fixed(v, step < 0.1 ? 2 : 1) : count(Math.round(v))));
    }
    const stepX = niceStep(mostX || 1, 6);
    for (let s = 0; s <= mostX; s += stepX) parts.push(draw("text", { x: x(s), y: height - 12, "text-anchor": "middle" }, fixed(s, stepX < 1 ? 1 : 0) + " s"));
    marks.forEach(mark => parts.push(draw("g", {}, draw("title", {}, mark.text),
      draw("line", { x1: x(mark.seconds), x2: x(mark.seconds), y1: 4, y2: height - bottom, stroke: "var(--bad)", "stroke-dasharray": "4 3" }))));
    parts.push(...texts.drawn);
    series.forEach((one, i) => parts.push(draw("polyline", { points: one.points.map(p => `${x(p[0]).toFixed(1)},${y(p[1]).toFixed(1)}`).join(" "),
      fill: "none", stroke: one.colour || colour(i), "stroke-width": one.thick || 2, "stroke-linejoin": "round" }, draw("title", {}, one.name))));
    return card(`${title}, ${unit}`, draw("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": title }, parts),
      make("div", { style: "margin-top:8px" }, series.map((one, i) => make("span", { class: "key" }, make("i", { style: `background:${one.colour || colour(i)}` }), one.name))));
  }
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
  // A node has one colour wherever it is drawn: that of its place among the members.
  const seat = (report, name) => report.members.findIndex(member => member.name === name);
  // Flows bear the colour of that end of which there are more: so they can be told from each other.
  const end = report => ["node", "to"].map(side => [side, new Set(report.sources.map(source => source[side])).size]).reduce((a, b) => b[1] > a[1] ? b : a)[0];
  function throughput(report) {
    const side = end(report), owners = new Map(report.sources.map(source => [source.label, source[side]]));
    const got = (sample, name) => Object.entries(sample.receivedBytes).reduce((sum, [label, bytes]) => sum + (owners.get(label) === name ? bytes : 0), 0);
    const series = [...new Set(owners.values())].sort((a, b) => seat(report, a) - seat(report, b))
      .map(name => ({ name, colour: colour(seat(report, name)), points: rates(report.samples, s => got(s, name) / 1e6) }));
    if (series.length > 1) series.push({ name: "all together", colour: "var(--ink)", thick: 2.5,
      points: rates(report.samples, s => Object.values(s.receivedBytes).reduce((a, b) => a + b, 0) / 1e6) });
    return chart(side === "node" ? "Throughput by source" : "Throughput by receiver", "MB/s", series, report.marks, 345);
  }
  function cpuOverTime(report) {
    const names = [...new Set(report.samples.flatMap(sample => Object.keys(sample.cpuSeconds)))];
    names.sort((a, b) => seat(report, a) - seat(report, b));
    const series = names.map(name => ({ name, colour: colour(seat(report, name)), points: rates(report.samples.filter(s => name in s.cpuSeconds), s => s.cpuSeconds[name]) }));
    return chart("CPU of each node", "cores", series, []);
  }

  // ---- tables

  function sessions(report) {
    const whole = source => Math.max(source.bytesTotal, source.bytes);
    // Begun again after a failure, the same two nodes are there more than once: then each row says of which attempt it is.
    const again = report.sources.some(source => source.attempt > 1);
    return card("Sessions", table([...(again ? ["#attempt"] : []), "source", "to", "state", "progress", "#bytes", "#files", "#SSTables", "mode"],
      report.sources.map(source => [...(again ? [count(source.attempt)] : []), make("span", { class: "from" }, key(source.node, seat(report, source.node)), make("code", {}, source.address)), key(source.to, seat(report, source.to)), source.state.toLowerCase(),
        bar([[source.bytes, colour(seat(report, source[end(report)]))]], whole(source)), bytes(source.bytes), `${count(source.files)} of ${count(source.filesTotal)}`, count(source.sstables), source.mode])));
  }
  // Each once, however often its session was begun again: who sends what to whom, and how. What a source offered that then
  // failed, another one has offered and sent.
  function allOffers(report) {
    const all = report.sources.filter(source => source.state !== "FAILED").flatMap(source => source.offers.map(offer => ({ from: source.node, to: source.to, offer })));
    return [...new Map(all.map(one => [`${one.from} ${one.to} ${one.offer.table} ${one.offer.sstable}`, one])).values()];
  }
  function modes(report) {
    const byMode = new Map();
    for (const { offer } of allOffers(report)) {
      const one = byMode.get(offer.mode) || { bytes: 0, sstables: 0 };
      byMode.set(offer.mode, { bytes: one.bytes + offer.bytes, sstables: one.sstables + 1 });
    }
    const whole = [...byMode.values()].reduce((sum, one) => sum + one.bytes, 0);
    return card("By mode", table(["mode", "share", "#bytes", "#SSTables"], [...byMode].map(([mode, one]) =>
      [mode, bar([[one.bytes, KERNEL]], whole), bytes(one.bytes), count(one.sstables)])));
  }
  function offers(report) {
    const shown = 20, all = allOffers(report).sort((a, b) => b.offer.bytes - a.offer.bytes);
    const rows = all.slice(0, shown).map(({ from, to, offer }) => [from, to, offer.table, make("code", {}, offer.sstable), offer.mode, bytes(offer.bytes), make("span", { class: "long" }, offer.why)]);
    return card("How each SSTable travelled", table(["source", "to", "table", "SSTable", "mode", "#bytes", "why"], rows),
      all.length > shown ? [make("p", {}, `The largest; ${count(all.length - shown)} more are in report.json.`)] : []);
  }
  function processes(report) {
    const most = Math.max(...report.processes.map(one => one.cpuSeconds ?? 0), 1e-9);
    return card("Processes, while data was streamed", table(["node", "role", "CPU", "#all", "#in the kernel", "#peak memory"], report.processes.map(one => {
      const kernel = one.systemCpuSeconds ?? 0;
      return [one.node, one.role, bar([[kernel, KERNEL], [(one.cpuSeconds ?? 0) - kernel, OUTSIDE]], most), one.cpuSeconds === null ? "?" : seconds(one.cpuSeconds),
        one.systemCpuSeconds === null ? "?" : seconds(kernel), one.peakMemoryBytes === null ? "?" : bytes(one.peakMemoryBytes)];
    })), make("div", { style: "margin-top:8px" }, key("in the kernel", KERNEL), key("outside of it", OUTSIDE)));
  }
  function load(report) {
    const load = report.load;
    return card("Writes meanwhile", table(["consistency", "#asked for", "#sent", "#acknowledged", "#taken late", "#longest batch", "#rows looked for", "#missing"],
      [[load.consistency, count(load.writesPerSecond) + "/s", count(load.sent), count(load.acknowledged), count(load.hints),
        count(load.longestMillis) + " ms", count(load.rowsAsked), count(load.missing)]]), load.examples.map(example => make("p", {}, example)));
  }
  function checks(report) {
    const rows = report.checks.map(check => [check.table, make("code", {}, check.range), make("span", { class: check.equal ? "good badge" : "bad badge" }, check.equal ? "\u2713 equal" : "\u2717 different"),
      check.held.map(held => held.node).join(", "), make("code", {}, check.equal ? check.held[0].content.digest.slice(0, 16) + "\u2026" : check.held.map(held => held.problem || held.content.digest.slice(0, 8)).join(" / "))]);
    return card("Contents compared, range by range", table(["table", "tokens", "", "held by", "digest"], rows));
  }
  function audit(report) {
    const audit = report.audit;
    return card("Files of all nodes, against what was written", table(["#partitions", "#nodes", "#whole files", "#decoded files", "#took", ""],
      [[count(audit.partitions), count(audit.nodes), count(audit.wholeFiles), count(audit.decodedFiles), seconds(audit.seconds),
        make("span", { class: audit.right ? "good badge" : "bad badge" }, audit.right ? "\u2713 as written" : "\u2717 not as written")]]), audit.problems.map(problem => make("p", {}, problem)));
  }

  function marks(report) {
    return card("What was made to go wrong", table(["#after", "what"], report.marks.map(mark => [seconds(mark.seconds), mark.text])));
  }
  function results(report) {
    // Of writes only tables with clients say anything.
    const isWritten = report.results.some(one => one.writes);
    return card("Tables", table(["node", "table", "", "#bytes", "#SSTables", ...(isWritten ? ["writes meanwhile"] : []), "why"], report.results.map(one => [one.node, one.table,
      make("span", { class: one.state === "installed" ? "good badge" : "bad badge" }, one.state), bytes(one.bytes), count(one.sstables), ...(isWritten ? [one.writes] : []), one.reason])));
  }

  function repeats(report) {
    const all = report.repeats, width = 1100, height = 110, left = 20, right = 20, middle = 44, most = all.most * 1.05 || 1;
    const x = s => left + (width - left - right) * s / most, parts = [], step = niceStep(most, 6);
    for (let s = 0; s <= most; s += step) parts.push(draw("line", { x1: x(s), x2: x(s), y1: 10, y2: 78, class: "grid" }),
      draw("text", { x: x(s), y: 98, "text-anchor": "middle" }, fixed(s, step < 1 ? 1 : 0) + " s"));
    const line = (from, to, thick) => draw("line", { x1: x(from), x2: x(to), y1: middle, y2: middle, stroke: colour(0), "stroke-width": thick });
    const post = (at, half, thick) => draw("line", { x1: x(at), x2: x(at), y1: middle - half, y2: middle + half, stroke: colour(0), "stroke-width": thick });
    parts.push(line(all.least, all.lowerQuartile, 2), line(all.upperQuartile, all.most, 2), post(all.least, 9, 2), post(all.most, 9, 2),
      draw("rect", { x: x(all.lowerQuartile), y: middle - 18, width: Math.max(1, x(all.upperQuartile) - x(all.lowerQuartile)), height: 36, fill: colour(0), "fill-opacity": 0.25, stroke: colour(0), "stroke-width": 2 }),
      post(all.median, 18, 4), ...all.seconds.map(s => draw("circle", { cx: x(s), cy: middle + 26, r: 3, fill: colour(0) })));
    return card(`Streaming time of ${all.seconds.length} runs`, draw("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": "Box plot of the streaming times" }, parts),
      make("p", {}, `Median ${seconds(all.median)}, quartiles ${seconds(all.lowerQuartile)} and ${seconds(all.upperQuartile)} (IQR ${seconds(all.upperQuartile - all.lowerQuartile)}), least ${seconds(all.least)}, most ${seconds(all.most)}.`));
  }

  function show(report) {
    document.title = `${report.title} \u2013 Sluice`;
    const content = [header(report), report.failure ? make("p", { class: "why" }, report.failure) : null, tiles(report),
      make("div", { class: "pair" }, ring(report), throughput(report))];
    if (report.sources.length) content.push(sessions(report), make("div", { class: "pair" }, modes(report), cpuOverTime(report)));
    if (report.sources.some(source => source.offers.length)) content.push(offers(report));
    if (report.repeats) content.push(repeats(report));
    if (report.marks.length) content.push(marks(report));
    if (report.results.length) content.push(results(report));
    if (report.processes.length) content.push(processes(report));
    if (report.load) content.push(load(report));
    if (report.checks.length) content.push(checks(report));
    if (report.audit) content.push(audit(report));
    content.push(make("footer", {}, `${report.scenario}; logs: ${report.logs}`));
    page.replaceChildren(...content.filter(part => part !== null));
    page.dataset.drawn = report.phase;
  }

  // ---- a finished report is in the page; a running one is asked for until it has ended

  const embedded = JSON.parse(document.getElementById("report").textContent);
  async function follow() {
    try {
      const answer = await fetch("report.json", { cache: "no-store" });
      if (answer.ok) {
        const report = await answer.json();
        show(report);
        if (report.phase === "ended") return;
      }
    } catch (gone) {
      if (!page.dataset.drawn) page.textContent = "Waiting for the run to begin.";
      else { document.title = "(ended) " + document.title; return; }
    }
    setTimeout(follow, 500);
  }
  if (embedded === null) follow(); else show(embedded);
})();
