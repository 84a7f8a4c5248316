// Draws the report of a run, with what base.js and charts.js have.
(() => {
  // ---- header

  function verdict(report) {
    if (report.phase !== "ended") return make("span", { class: "badge busy" }, report.phase);
    if (report.failure && report.end.asExpected) return badge(true, "failed as expected");
    return badge(report.verified, report.verified ? "verified" : "failed");
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
    if (moved && moved.bytes > 0) {
      const cpu = report.processes.reduce((sum, one) => sum + (one.cpuSeconds ?? 0), 0), isWhole = report.phase !== "streaming" && !report.failure;
      values.push([bytes(moved.bytes), "streamed"], [seconds(moved.seconds), "streaming time"]);
      // Of a few hundred milliseconds, or of a run that failed, a mean says nothing; nor does CPU that is scaled up to a GiB.
      if (moved.seconds >= 0.25 && !report.failure) values.push([rate(moved.bytes / moved.seconds), "mean rate"]);
      values.push([count(moved.files), "files"]);
      const installed = report.results.filter(one => one.state === "installed").reduce((sum, one) => sum + one.sstables, 0);
      if (installed) values.push([count(installed), "SSTables"]);
      if (moved.bytes >= 2 ** 30 && cpu > 0 && isWhole) values.push([fixed(cpu / moved.bytes * 2 ** 30, 2) + " s", "of CPU per GiB"]);
    }
    if (report.checks.length) values.push([`${report.checks.filter(c => c.equal).length} of ${report.checks.length}`, "ranges equal"]);
    if (report.load) values.push([count(report.load.acknowledged), `writes, ${count(report.load.missing)} missing`]);
    return values.length ? tileRow(values) : null;
  }

  // How far it is, and how long still, by the rate of the last five seconds.
  function ahead(report) {
    // What earlier attempts did not bring is in the totals of the latest one, whose sources are the last ones.
    const sources = report.sources, earlier = sources.map(one => one.attempt !== sources[sources.length - 1].attempt).lastIndexOf(true);
    const whole = sources.reduce((sum, one, i) => sum + Math.max(one.bytes, i > earlier ? one.bytesTotal - one.bytesResumed : 0), 0);
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
    const killed = killedAt(report, member.name) !== undefined, dead = killed || member.role === "dead", inside = member.role === "replacement", fresh = inside || ["joining", "receiver"].includes(member.role);
    const takesPart = report.sources.some(source => source.node === member.name || source.to === member.name);
    const paint = dead && !takesPart ? "var(--bad)" : takesPart || fresh ? colour(seat(report, member.name)) : "var(--faint)";
    const distance = Math.hypot(x - cx, y - cy) || 1;
    // Outside of the circle; who came for the dead one, towards that: no arrow comes from there.
    const [lx, ly] = [x + (x - cx) / distance * 24, y + (y - cy) / distance * 24];
    const anchor = Math.abs(lx - x) < 8 ? "middle" : lx > x ? "start" : "end";
    const up = ly < y - 8;
    return draw("g", {},
      draw("title", {}, `${member.name} at ${member.address}, ${member.role}`),
      draw("circle", { cx: x, cy: y, r: 12, fill: dead ? "var(--card)" : paint, stroke: paint, "stroke-width": 2.5 }),
      dead ? cross(x, y, 5, paint) : null,
      draw("text", { x: lx, y: ly + (up ? -10 : 2), "text-anchor": anchor, class: "strong" }, member.name),
      draw("text", { x: lx, y: ly + (up ? 5 : 17), "text-anchor": anchor }, killed ? `${member.role}, killed` : member.role));
  }

  // ---- lines over time

  // A node has one colour wherever it is drawn: that of its place among the members.
  const seat = (report, name) => report.members.findIndex(member => member.name === name);
  // Flows bear the colour of that end of which there are more: so they can be told from each other.
  const end = report => ["node", "to"].map(side => [side, new Set(report.sources.map(source => source[side])).size]).reduce((a, b) => b[1] > a[1] ? b : a)[0];
  // What has samples; while data is streamed, its lines have no end yet.
  const goingOn = (report, series) => series.filter(one => one.runs.length).map(one => ({ ...one, goesOn: report.phase === "streaming" && !one.killed }));
  // When a node was killed, if it was.
  const killedAt = (report, name) => report.marks.find(mark => mark.killed === name)?.seconds;
  function throughput(report) {
    const side = end(report), owners = new Map(report.sources.map(source => [source.label, source[side]]));
    const got = (sample, name) => Object.entries(sample.receivedBytes).filter(([label]) => name === null || owners.get(label) === name)
      .reduce((sum, [, amount]) => (sum ?? 0) + amount / MEBIBYTE, undefined);
    const series = [...new Set(owners.values())].sort((a, b) => seat(report, a) - seat(report, b))
      .map(name => ({ name, colour: colour(seat(report, name)), killed: killedAt(report, name) !== undefined, runs: rates(report.samples, s => got(s, name)) }));
    // Behind the others, which it would hide where only one of them sends.
    if (series.length > 1) series.unshift({ name: "all together", colour: "var(--rest)", thick: 5, runs: rates(report.samples, s => got(s, null)) });
    return chart(side === "node" ? "Throughput by source" : "Throughput by receiver", "MiB/s", goingOn(report, series), report.marks, { height: 345 });
  }
  // In less than two seconds there are too few hundredths of them to make lines of.
  function cpuOverTime(report, isWide) {
    if (!report.transfer || report.transfer.seconds < 2) return null;
    const names = [...new Set(report.samples.flatMap(sample => Object.keys(sample.cpuSeconds)))];
    names.sort((a, b) => seat(report, a) - seat(report, b));
    const series = names.map(name => ({ name, colour: colour(seat(report, name)), killed: killedAt(report, name) !== undefined,
      runs: rates(report.samples.filter(s => s.seconds <= (killedAt(report, name) ?? Infinity)), s => s.cpuSeconds[name]) }));
    return chart("CPU of each node", "cores", goingOn(report, series), report.marks.filter(mark => mark.killed), isWide ? { height: 240, isWide } : {});
  }

  // ---- tables

  function sessions(report) {
    // What landed in an earlier attempt is there, but did not travel.
    const whole = source => Math.max(source.bytesTotal, source.bytes + source.bytesResumed);
    const progress = source => bar([[source.bytesResumed, OUTSIDE], [source.bytes, colour(seat(report, source[end(report)]))]], whole(source), source.state === "FAILED");
    // Begun again after a failure, the same two nodes are there more than once: then each row says of which attempt it is.
    const again = report.sources.some(source => source.attempt > 1);
    const state = source => source.state === "FAILED" ? make("span", { class: "badge bad" }, "failed") : source.state.toLowerCase();
    return card("Sessions", table(["#attempt", "source", "to", "state", "progress", "#bytes", "#there before", "#files", "#SSTables", "mode"],
      report.sources.map(source => [again ? count(source.attempt) : "", make("span", { class: "from" }, key(source.node, seat(report, source.node)), make("code", {}, source.address)), key(source.to, seat(report, source.to)), state(source),
        progress(source), bytes(source.bytes), some(source.bytesResumed, bytes), `${count(source.files)} of ${count(source.filesTotal)}`, count(source.sstables), source.mode])));
  }
  // Each once, however often its session was begun again: who sends what to whom, and how. What a source offered that then
  // failed, another one has offered and sent.
  function allOffers(report) {
    const all = report.sources.filter(source => source.state !== "FAILED").flatMap(source => source.offers.map(offer => ({ from: source.node, to: source.to, offer })));
    return [...new Map(all.map(one => [`${one.from} ${one.to} ${one.offer.table} ${one.offer.sstable}`, one])).values()];
  }
  // Of one mode alone the sessions say all.
  function modes(report) {
    const byMode = new Map();
    for (const { offer } of allOffers(report)) {
      const one = byMode.get(offer.mode) || { bytes: 0, sstables: 0 };
      byMode.set(offer.mode, { bytes: one.bytes + offer.bytes, sstables: one.sstables + 1 });
    }
    if (byMode.size < 2) return null;
    const whole = [...byMode.values()].reduce((sum, one) => sum + one.bytes, 0);
    return card("By mode", table(["mode", "share", "#bytes", "#SSTables"], [...byMode].map(([mode, one]) =>
      [mode, bar([[one.bytes, KERNEL]], whole), bytes(one.bytes), count(one.sstables)])));
  }
  function offers(report) {
    const shown = 20, all = allOffers(report).sort((a, b) => b.offer.bytes - a.offer.bytes);
    const rows = all.slice(0, shown).map(({ from, to, offer }) => [from, to, offer.table, make("code", {}, offer.sstable), offer.mode, bytes(offer.bytes), long(offer.why)]);
    return card("How each SSTable travelled", table(["source", "to", "table", "SSTable", "mode", "#bytes", "why"], rows),
      all.length > shown ? [make("p", {}, `The largest; ${count(all.length - shown)} more are in report.json.`)] : []);
  }
  function processes(report) {
    const most = Math.max(...report.processes.map(one => one.cpuSeconds ?? 0), 1e-9);
    return card("Processes, while data was streamed", table(["node", "role", "CPU", "#all", "#in the kernel", "#peak memory"], report.processes.map(one => {
      const kernel = one.systemCpuSeconds ?? 0;
      return [one.node, one.role, bar([[kernel, KERNEL], [(one.cpuSeconds ?? 0) - kernel, OUTSIDE]], most), one.cpuSeconds === null ? "" : cpuSeconds(one.cpuSeconds),
        one.systemCpuSeconds === null ? "" : cpuSeconds(kernel), one.peakMemoryBytes === null ? "" : bytes(one.peakMemoryBytes)];
    })), make("div", { class: "keys" }, key("in the kernel", KERNEL), key("outside of it", OUTSIDE)));
  }
  function load(report) {
    const load = report.load;
    return card("Writes meanwhile", table(["consistency", "#asked for", "#sent", "#acknowledged", "#taken late", "#longest batch", "#rows looked for", "#missing"],
      [[load.consistency, count(load.writesPerSecond) + "/s", count(load.sent), count(load.acknowledged), count(load.hints),
        count(load.longestMillis) + " ms", count(load.rowsAsked), count(load.missing)]]), load.examples.map(example => make("p", {}, example)));
  }
  function checks(report) {
    const rows = report.checks.map(check => [check.table, make("code", {}, check.range), badge(check.equal, check.equal ? "equal" : "different"),
      check.held.map(held => held.node).join(", "), check.compared === "FILES" ? "bytes as stored" : "rows", make("code", {}, check.equal ? check.held[0].content.digest.slice(0, 8) + "\u2026" : check.held.map(held => held.problem || held.content.digest.slice(0, 8)).join(" / "))]);
    return card("Contents compared, range by range", table(["table", "tokens", "result", "held by", "compared", "digest"], rows));
  }
  function audit(report) {
    const audit = report.audit;
    return card("Files of all nodes, against what was written", table(["#partitions", "#nodes", "#whole files", "#decoded files", "#took", "result"],
      [[count(audit.partitions), count(audit.nodes), count(audit.wholeFiles), count(audit.decodedFiles), seconds(audit.seconds),
        badge(audit.right, audit.right ? "as written" : "not as written")]]), audit.problems.map(problem => make("p", {}, problem)));
  }

  function marks(report) {
    return card("What was made to go wrong", table(["after", "what"], report.marks.map(mark => [seconds(mark.seconds), mark.text])));
  }
  function results(report) {
    return card("Tables", table(["node", "table", "result", "#bytes", "#SSTables", "writes meanwhile", "why"], report.results.map(one => [one.node, one.table,
      badge(one.state === "installed", one.state), some(one.bytes, bytes), some(one.sstables, count), one.writes, one.reason && long(one.reason)])));
  }

  function repeats(report) {
    const base = report.baseline, runs = report.repeats.values.length, changed = base && Object.entries(base.settings).map(([key, value]) => `${key}: ${value}`).sort().join(", ");
    const rows = [{ name: base ? "this scenario" : `${runs} runs`, spread: report.repeats, colour: colour(0) }];
    if (base) rows.push({ name: `baseline, ${base.name}`, spread: base.seconds, colour: colour(1) });
    const times = ratio => fixed(ratio, 2);
    return card(base ? `Streaming time, beside the baseline: ${runs} pairs of runs` : `Streaming time of ${runs} runs`, boxes("Box plot of the streaming times", rows, " s"),
      base ? [make("p", {}, make("b", {}, `Ratio of baseline to scenario, pair by pair: ${spreadText(base.ratio, times)}.`)),
        make("p", {}, `The baseline is the same scenario with ${changed}; runs and baselines took turns in being first.`)]
        : make("p", {}, `In words: ${spreadText(report.repeats, seconds)}.`));
  }

  // What it takes to repeat the run.
  function environment(report) {
    const on = report.environment;
    const rows = [["command", make("code", {}, on.command || "none: started by a program")], ["version", on.version], ["Java", on.java], ["system", on.system],
      ["machine", `${count(on.processors)} processors, ${bytes(on.memoryBytes)} of memory; load ${fixed(on.load, 1)} when the run began`],
      ["file system", on.fileSystem], ["congestion control", on.congestionControl]].map(([name, value]) => [name, make("span", { class: "long" }, value)]);
    const settings = Object.keys(on.settings).sort().map(key => make("div", {}, make("code", {}, key), make("code", {}, on.settings[key])));
    const content = card("To repeat the run", make("div", { class: "facts" }, table(["", ""], rows)), settings.length ? make("h3", {}, "Settings") : null, make("div", { class: "settings" }, settings));
    content.classList.add("long-card");
    return content;
  }

  // Two beside each other, or the one that there is.
  const pair = (...cards) => {
    const there = cards.filter(one => one !== null);
    return there.length > 1 ? make("div", { class: "pair" }, there) : there[0] ?? null;
  };

  function show(report) {
    document.title = `${report.title} \u2013 Sluice`;
    const content = [header(report), report.failure ? make("p", { class: "why" }, report.failure) : null, tiles(report),
      pair(ring(report), throughput(report))];
    if (report.repeats) content.push(repeats(report));
    if (report.sources.length) content.push(sessions(report));
    const byMode = modes(report);
    content.push(pair(byMode, cpuOverTime(report, byMode === null)));
    if (allOffers(report).length) content.push(offers(report));
    if (report.marks.length) content.push(marks(report));
    if (report.results.length) content.push(results(report));
    if (report.processes.length) content.push(processes(report));
    if (report.load) content.push(load(report));
    if (report.checks.length) content.push(checks(report));
    if (report.audit) content.push(audit(report));
    content.push(environment(report));
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
  if (embedded === null) follow(); else drawn(() => show(embedded));
})();
