// Draws two runs beside each other, with what base.js and charts.js have.
(() => {
  const diff = JSON.parse(document.getElementById("report").textContent), runs = [diff.a, diff.b];
  const began = report => new Date(report.startedAt).toISOString().replace("T", " ").slice(0, 19) + " UTC";
  const verdict = report => report.failure && report.end.asExpected ? badge(true, "failed as expected") : badge(report.verified, report.verified ? "verified" : "failed");

  function header() {
    return make("header", {}, make("div", {}, make("h1", {}, `${diff.a.name} and ${diff.b.name}`),
      make("p", {}, "Two runs beside each other.")));
  }
  function titles() {
    return make("div", { class: "halves" }, runs.map(({ name, report }, i) => make("section", { class: "card" },
      make("h2", {}, key(name, i), verdict(report)), make("p", {}, `${report.title}. Began ${began(report)}.`),
      report.failure ? make("p", { class: "why" }, report.failure) : null)));
  }
  function figures() {
    return card("What they did", table(["figure", `#${diff.a.name}`, `#${diff.b.name}`, "#ratio"], diff.figures.map(one =>
      [long(one.name), make("span", { class: "wrap" }, one.a), make("span", { class: "wrap" }, one.b), one.ratio === null ? "" : fixed(one.ratio, 2)])),
      make("p", {}, `Ratio: ${diff.b.name} to ${diff.a.name}; none where it would say nothing, as of a run that failed or streamed for less than a second.`));
  }
  function spreads() {
    const rows = runs.flatMap(({ name, report }, i) => report.repeats ? [{ name, spread: report.repeats, colour: colour(i) }] : []);
    return rows.length ? card("Streaming time of all runs", boxes("Box plots of the streaming times", rows, " s")) : null;
  }
  function throughput() {
    const all = sample => Object.values(sample.receivedBytes).reduce((sum, amount) => (sum ?? 0) + amount / MEBIBYTE, undefined);
    const series = runs.map(({ name, report }, i) => ({ name, colour: colour(i), runs: rates(report.samples, all) }));
    return chart("Throughput of all sources together", "MiB/s", series.filter(one => one.runs.length), [], { height: 260, isWide: true });
  }
  function differences() {
    return card("In what they differ", diff.differences.length
      ? table(["", diff.a.name, diff.b.name], diff.differences.map(one => [long(one.name), long(one.a), long(one.b)]))
      : make("p", {}, "By their reports in nothing: both were asked for the same, on machines that are alike."));
  }
  function commands() {
    return card("To repeat them", table(["", ""], runs.map(({ name, report }) => [name, make("code", { class: "long" }, report.environment.command || "none: started by a program")])));
  }

  document.title = `${diff.a.name} and ${diff.b.name} \u2013 Sluice`;
  drawn(() => {
    page.replaceChildren(...[header(), titles(), figures(), spreads(), throughput(), differences(), commands()].filter(part => part !== null));
    page.dataset.drawn = "ended";
  });
})();
