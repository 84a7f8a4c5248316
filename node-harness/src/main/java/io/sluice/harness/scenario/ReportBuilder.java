package io.sluice.harness.scenario;

import io.sluice.harness.admin.ReplaceState;
import io.sluice.harness.cluster.NodeProcess;
import io.sluice.harness.cluster.ProcessUsage;
import io.sluice.harness.report.Bytes;
import io.sluice.harness.report.ReplaceReport;
import io.sluice.harness.report.ReplaceReport.Check;
import io.sluice.harness.report.ReplaceReport.LoadResult;
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
import org.jspecify.annotations.Nullable;

/** Gathers what a run has to report, also if it ends early. Not thread-safe. */
final class ReportBuilder {
    private static final double MILLIS_PER_SECOND = 1000;

    private final ReplaceOptions options;
    private final Path workDirectory;
    private final Instant startedAt = Instant.now();
    private final List<Source> sources = new ArrayList<>();
    private final List<Usage> processes = new ArrayList<>();
    private List<TableRef> tables = List.of();
    private List<Check> checks = List.of();
    private @Nullable Transfer transfer;
    private @Nullable LoadResult load;
    private double verificationSeconds;

    ReportBuilder(ReplaceOptions options, Path workDirectory) {
        this.options = options;
        this.workDirectory = workDirectory;
    }

    void tables(List<TableRef> tables) {
        this.tables = List.copyOf(tables);
    }

    /** All sessions have ended, well or not. */
    void streamed(ReplaceState ended, double seconds, String transport) {
        String mode = "block (whole SSTable, " + (transport.equals("epoll") ? "sendfile" : "transferTo") + ")";
        for (SessionProgress session : ended.sessions()) {
            sources.add(new Source(
                    session.peer().name(),
                    session.peer().address().toString(),
                    session.bytesReceived(),
                    session.filesReceived(),
                    session.sstablesTotal(),
                    mode,
                    session.state()));
        }
        long bytes = sources.stream().mapToLong(Source::bytes).sum();
        transfer = new Transfer(
                seconds,
                bytes,
                Bytes.megabytesPerSecond(bytes, seconds),
                sources.stream().mapToInt(Source::files).sum(),
                sources.stream().mapToInt(Source::sstables).sum(),
                mode,
                0);
    }

    void used(Node replacement, Map<NodeProcess, ProcessUsage> usages) {
        usages.forEach((process, usage) -> processes.add(new Usage(
                process.node().name(),
                process.node().equals(replacement) ? "replacement" : "survivor",
                usage.cpu().map(cpu -> cpu.toMillis() / MILLIS_PER_SECOND),
                usage.system().map(system -> system.toMillis() / MILLIS_PER_SECOND),
                usage.peakMemoryBytes())));
    }

    void loaded(LoadResult result) {
        load = result;
    }

    void compared(List<Check> made, double seconds) {
        checks = List.copyOf(made);
        verificationSeconds = seconds;
    }

    /** @param failure why the run did not succeed; empty if all contents are equal */
    ReplaceReport build(Optional<String> failure) {
        Transfer moved = transfer;
        Optional<Transfer> timed =
                moved == null ? Optional.empty() : Optional.of(moved.verifiedIn(verificationSeconds));
        return new ReplaceReport(
                "replace-node",
                startedAt.toString(),
                new Setting(
                        options.nodes(),
                        options.replicationFactor(),
                        options.dataset().toString(),
                        "node" + options.nodes(),
                        "node" + (options.nodes() + 1),
                        tables.stream().map(TableRef::toString).toList()),
                failure.isEmpty() && !checks.isEmpty(),
                failure,
                timed,
                List.copyOf(sources),
                List.copyOf(processes),
                checks,
                Optional.ofNullable(load),
                workDirectory.toString());
    }
}
