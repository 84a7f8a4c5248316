// Draws a comparison of replacements, with what base.js and charts.js have.
(() => {
  const result = JSON.parse(document.getElementById("report").textContent);
  const figure = value => fixed(value, value >= 100 ? 0 : value >= 10 ? 1 : 2);
  const spread = s => `${figure(s.median)} (${figure(s.least)} to ${figure(s.most)})`;
  // Less than three steps of the clock are a bound, as on the terminal.
  const cpu = (s, gibibytes) => Math.round(s.median * gibibytes / 0.01) >= 3 ? spread(s) : "< " + figure(0.03 / gibibytes);
  const yes = is => is ? "yes" : "no";

  function header() {
    return make("header", {}, make("div", {}, make("h1", {}, "Replacing a dead node: Cassandra and Sluice"),
      make("p", {}, `${result.repetitions} repetitions of each, in turns, on the same machine with the same files. ${result.versions}.`),
      make("p", {}, `${result.machine}. Began ${result.startedAt.replace("T", " ").slice(0, 19)} UTC, load of the minute before ${fixed(result.loadBefore, 2)}.`)),
      badge(true, "every replacement holds what the dead node held"));
  }
  function tiles(one) {
    return tileRow(one.ratios.map(({ what, ratio }) => [`${figure(ratio.median)} (${figure(ratio.least)} to ${figure(ratio.most)})`, what]));
  }
  function plot(one, title, unit, pick) {
    return card(title, boxes(title, one.rows.map((row, i) => ({ name: row.name, spread: pick(row), colour: colour(i) })), unit));
  }
  function figures(one) {
    return card("Figures: median (least to greatest)", table(
      ["", "#Seconds", "#Until NORMAL", "#MiB/s", "#CPU s/GiB, receiver", "#Sources", "Verified", "Durable"],
      one.rows.map(row => [row.name, spread(row.seconds), row.normalSeconds ? spread(row.normalSeconds) : "", spread(row.mebibytesPerSecond),
        cpu(row.receiverCpuPerGibibyte, one.bytes / 2 ** 30), cpu(row.sourceCpuPerGibibyte, one.bytes / 2 ** 30), yes(row.isVerified), yes(row.isDurable)])));
  }
  function repetitions(one) {
    return card("Every repetition", table(["", "#", "#Seconds", "#CPU s, receiver", "#Sources", "#Received", "#SSTables", "As", "#Load"],
      one.rows.flatMap(row => row.runs.map((run, i) => [row.name, String(i + 1), figure(run.seconds), figure(run.receiverCpuSeconds),
        figure(run.sourceCpuSeconds), bytes(run.movedBytes), String(run.sstables), run.mode, fixed(run.load, 2)]))));
  }
  function whole(one) {
    return [make("h2", { class: "case" }, `Case ${one.name}: ${one.what}. ${bytes(one.bytes)} in ${one.sstables} SSTables of ${one.table}`), tiles(one),
      plot(one, "Time of a replacement: further left is better", " s", row => row.seconds),
      plot(one, "CPU of the receiver for a GiB: further left is better", " s", row => row.receiverCpuPerGibibyte),
      plot(one, "CPU of all sources for a GiB: further left is better", " s", row => row.sourceCpuPerGibibyte),
      figures(one), repetitions(one),
      card("What is measured", make("div", {}, one.rows.map(row => make("p", {}, make("b", { style: "color:var(--ink)" }, row.name + ": "), row.what))))];
  }

  document.title = "Replacing a dead node \u2013 Sluice";
  drawn(() => {
    page.replaceChildren(header(), ...result.cases.flatMap(whole),
      card("To repeat it", make("code", { class: "long" }, result.command)),
      make("footer", {}, "Ratios are repetition by repetition. Loopback on one machine, files of the sources in the page cache: no figure of a network."));
    page.dataset.drawn = "ended";
  });
})();
