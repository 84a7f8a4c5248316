package io.sluice.harness.scenario;

import io.sluice.harness.admin.FetchState;
import io.sluice.harness.cluster.ProcessUsage;
import io.sluice.harness.report.Bytes;
import io.sluice.harness.report.ReplaceReport;
import io.sluice.harness.report.ReplaceReport.Check;
import io.sluice.harness.report.ReplaceReport.LoadResult;
import io.sluice.harness.report.ReplaceReport.Member;
import io.sluice.harness.report.ReplaceReport.Sample;
import io.sluice.harness.report.ReplaceReport.Setting;
import io.sluice.harness.report.ReplaceReport.Source;
import io.sluice.harness.report.ReplaceReport.Transfer;
import io.sluice.harness.report.ReplaceReport.Usage;
import io.sluice.streaming.progress.SessionProgress;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.store.TableRef;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Gathers what a run has to report, also if it ends early, and tells who watches. Not thread-safe. */
final class ReportBuilder {
    private static final double MILLIS_PER_SECOND = 1000;
    private static final double NANOS_PER_SECOND = 1e9;

    private final ReplaceOptions options;
    private final Path workDirectory;
    private final Consumer<ReplaceReport> watcher;
    private final Instant startedAt = Instant.now();
    private final List<Node> members = new ArrayList<>();
    private final Timeline timeline = new Timeline();
    private String phase = "starting";
    private List<Source> sources = List.of();
    private List<Usage> processes = List.of();
    private List<TableRef> tables = List.of();
    private List<Check> checks = List.of();
    private @Nullable Transfer transfer;
    private @Nullable LoadResult load;
    private double verificationSeconds;

    ReportBuilder(ReplaceOptions options, Path workDirectory, Consumer<ReplaceReport> watcher) {
        this.options = options;
        this.workDirectory = workDirectory;
        this.watcher = watcher;
    }

    private void publish() {
        watcher.accept(build(phase, Optional.empty()));
    }

    void tables(List<TableRef> known) {
        tables = List.copyOf(known);
    }

    /** These are there now, too. */
    void joined(List<Node> nodes) {
        members.addAll(nodes);
        publish();
    }

    /** How far streaming is; the last time, how it ended. */
    void streaming(FetchState state, Map<Node, ProcessUsage> usages, String transport) {
        phase = "streaming";
        // Whole SSTables and slices of them: in both the bytes of files leave as they are.
        String mode = "files (" + (transport.equals("epoll") ? "sendfile" : "transferTo") + ")";
        sources =
                state.sessions().stream().map(session -> source(session, mode)).toList();
        double seconds = state.streamingNanos() / NANOS_PER_SECOND;
        long bytes = sources.stream().mapToLong(Source::bytes).sum();
        transfer = new Transfer(
                seconds,
                bytes,
                Bytes.megabytesPerSecond(bytes, seconds),
                sources.stream().mapToInt(Source::files).sum(),
                sources.stream().mapToInt(Source::sstables).sum(),
                mode,
                0);
        processes = usages.entrySet().stream()
                .map(entry -> usage(entry.getKey(), entry.getValue()))
                .toList();
        timeline.add(sample(seconds));
        publish();
    }

    private static Source source(SessionProgress session, String mode) {
        return new Source(
                session.peer().name(),
                session.peer().address().toString(),
                session.bytesReceived(),
                session.bytesTotal(),
                session.filesReceived(),
                session.filesTotal(),
                session.sstablesTotal(),
                mode,
                session.state());
    }

    private Usage usage(Node node, ProcessUsage usage) {
        return new Usage(
                node.name(),
                node.name().equals(replacement()) ? "replacement" : "survivor",
                usage.cpu().map(cpu -> cpu.toMillis() / MILLIS_PER_SECOND),
                usage.system().map(system -> system.toMillis() / MILLIS_PER_SECOND),
                usage.peakMemoryBytes());
    }

    private Sample sample(double seconds) {
        Map<String, Long> received = new TreeMap<>();
        sources.forEach(source -> received.put(source.node(), source.bytes()));
        Map<String, Double> cpu = new TreeMap<>();
        processes.forEach(process -> process.cpuSeconds().ifPresent(used -> cpu.put(process.node(), used)));
        return new Sample(seconds, received, cpu);
    }

    void loaded(LoadResult result) {
        load = result;
        publish();
    }

    /** Another comparison was made, {@code seconds} after the first began. */
    void compared(List<Check> made, double seconds) {
        phase = "verifying";
        checks = List.copyOf(made);
        verificationSeconds = seconds;
        publish();
    }

    /** @param failure why the run did not succeed; empty if all contents are equal */
    ReplaceReport build(Optional<String> failure) {
        ReplaceReport ended = build(ReplaceReport.ENDED, failure);
        watcher.accept(ended);
        return ended;
    }

    private ReplaceReport build(String now, Optional<String> failure) {
        boolean isVerified = now.equals(ReplaceReport.ENDED) && failure.isEmpty() && !checks.isEmpty();
        return new ReplaceReport(
                "replace-node",
                startedAt.toString(),
                now,
                new Setting(
                        options.nodes(),
                        options.replicationFactor(),
                        options.dataset().toString(),
                        dead(),
                        replacement(),
                        tables.stream().map(TableRef::toString).toList()),
                members.stream().map(this::member).toList(),
                isVerified,
                failure,
                Optional.ofNullable(transfer).map(moved -> moved.verifiedIn(verificationSeconds)),
                sources,
                processes,
                checks,
                Optional.ofNullable(load),
                timeline.samples(),
                List.of(),
                workDirectory.toString());
    }

    private Member member(Node node) {
        return new Member(
                node.name(),
                node.address().toString(),
                node.tokens().stream().map(Object::toString).toList(),
                role(node.name()));
    }

    private String role(String name) {
        if (name.equals(dead())) {
            return "dead";
        }
        if (name.equals(replacement())) {
            return "replacement";
        }
        return sources.stream().anyMatch(source -> source.node().equals(name)) ? "source" : "member";
    }

    private String dead() {
        return "node" + options.nodes();
    }

    private String replacement() {
        return "node" + (options.nodes() + 1);
    }
}
