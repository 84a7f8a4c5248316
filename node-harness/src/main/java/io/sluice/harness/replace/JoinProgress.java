package io.sluice.harness.replace;

import io.sluice.harness.admin.VolumeStatus;
import io.sluice.harness.agent.AgentMessages.Progress;
import io.sluice.harness.report.ByteFormat;
import io.sluice.harness.report.RecentRate;
import io.sluice.harness.report.Step;
import io.sluice.harness.report.TextTable;
import io.sluice.streaming.progress.SessionProgress.TableProgress;
import io.sluice.streaming.store.TableRef;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

/**
 * How far a join is: what each source has given of each table, the volumes of the node, and what is waited for. A
 * coordinator notes it, a screen shows it. Thread-safe: guarded by itself.
 */
public final class JoinProgress {
    private static final double NANOS_PER_SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final int MOST_SOURCES = 5;
    private static final int MOST_TABLES = 6;
    private static final int MOST_VOLUMES = 3;

    private volatile Consumer<String> lines;
    private final LongSupplier nanoClock;
    private final Map<String, Map<String, SourceTable>> bySource = new TreeMap<>();
    private final Map<String, RecentRate> rates = new HashMap<>();
    private List<VolumeStatus> volumes = List.of();
    private long limitBytesPerSecond;
    private Optional<String> heartbeat = Optional.empty();
    private String wait = "";
    private long waitNanos;
    private final RecentRate rate = new RecentRate();
    private long startNanos;

    /** Where a table of one source is. */
    enum Stage {
        /** Nothing is asked for yet. */
        AHEAD("ahead"),
        /** Its bytes arrive. */
        RECEIVING("receiving"),
        /** Its digests are compared. */
        VERIFYING("verifying"),
        /** Its digests are equal, and it waits for the other sources of the table. */
        VERIFIED("verified"),
        /** It is in the table. */
        IMPORTED("imported");

        private final String text;

        Stage(String text) {
            this.text = text;
        }
    }

    /**
     * A table of one source.
     *
     * @param total an estimate until it has landed
     * @param isFetched whether this run fetches it; else its bytes, if any, were there before
     * @param first bytes that it had when this run first saw it arrive, which may be those of an earlier one; empty
     *     until then
     */
    private record SourceTable(long total, long received, Stage stage, boolean isFetched, OptionalLong first) {
        static final SourceTable NONE = ahead(0);

        static SourceTable ahead(long total) {
            return new SourceTable(total, 0, Stage.AHEAD, false, OptionalLong.empty());
        }

        SourceTable at(Stage now) {
            return new SourceTable(total, received, now, isFetched, first);
        }

        /** It is fetched, and nothing is known of it yet. */
        SourceTable awaited() {
            return new SourceTable(total, received, Stage.RECEIVING, true, first);
        }

        /** So much has arrived of it. */
        SourceTable receiving(TableProgress now) {
            return new SourceTable(
                    now.bytesTotal(),
                    now.bytesReceived(),
                    Stage.RECEIVING,
                    true,
                    OptionalLong.of(first.orElse(now.bytesReceived())));
        }

        /** All of it is there. */
        SourceTable whole(long bytes, Stage now) {
            return new SourceTable(bytes, bytes, now, isFetched, first);
        }

        /** What this run has brought of it. */
        long fetched() {
            return isFetched ? Math.max(0, done() - first.orElse(0)) : 0;
        }

        /** At most {@code total}, which is an estimate. */
        long done() {
            return Math.min(total, received);
        }
    }

    /** @param lines takes a line for each step */
    public JoinProgress(Consumer<String> lines) {
        this(lines, System::nanoTime);
    }

    JoinProgress(Consumer<String> lines, LongSupplier nanoClock) {
        this.lines = lines;
        this.nanoClock = nanoClock;
        this.waitNanos = nanoClock.getAsLong();
    }

    /** From now on this takes the lines. */
    public void sayTo(Consumer<String> next) {
        lines = next;
    }

    /** A step is done, or something is to be known. */
    void say(String line) {
        lines.accept(line); // not under the lock: it may wait for the screen, which asks for details
    }

    /** From now on this is waited for, as {@code snapshots at 10.0.0.1:7000}. */
    synchronized void waitsFor(String what) {
        wait = what;
        waitNanos = nanoClock.getAsLong();
    }

    /** Why the agent of the node did not answer that the coordinator lives; empty if it did. */
    synchronized void heartbeat(Optional<String> problem) {
        heartbeat = problem;
    }

    /** This is to be brought. */
    synchronized void expects(Amounts amounts) {
        amounts.all()
                .forEach(amount -> amount.tables()
                        .forEach((table, bytes) ->
                                table(amount.source(), amount.keyspace() + "." + table, SourceTable.ahead(bytes))));
        startNanos = nanoClock.getAsLong();
    }

    private void table(String source, String table, SourceTable now) {
        bySource.computeIfAbsent(source, key -> new TreeMap<>()).put(table, now);
    }

    /** Nothing of this keyspace is brought. */
    synchronized void leaves(String keyspace) {
        bySource.values().forEach(tables -> tables.keySet().removeIf(table -> table.startsWith(keyspace + ".")));
    }

    /** Nothing of this table is brought from this source. */
    synchronized void skips(Member source, TableRef table) {
        bySource.getOrDefault(source.endpoint(), new TreeMap<>()).remove(table.toString());
    }

    /** Some tables of a source are fetched, so far. */
    synchronized void receives(Member source, Collection<TableRef> tables, Progress progress) {
        volumes = progress.volumes();
        limitBytesPerSecond = progress.limitBytesPerSecond();
        Map<Object, TableProgress> received = progress.tables().stream()
                .collect(Collectors.toMap(TableProgress::tableId, table -> table, TableProgress::plus));
        for (TableRef table : tables) {
            TableProgress now = received.get(table.id());
            SourceTable before = table(source, table);
            table(
                    source.endpoint(),
                    table.toString(),
                    now == null || now.bytesTotal() == 0 ? before.awaited() : before.receiving(now));
        }
        progress.waiting().ifPresent(now -> {
            wait = now.what() + ", fetching from " + source;
            waitNanos = nanoClock.getAsLong() - TimeUnit.SECONDS.toNanos(now.seconds());
        });
    }

    private SourceTable table(Member source, TableRef table) {
        return bySource.getOrDefault(source.endpoint(), Map.of()).getOrDefault(table.toString(), SourceTable.NONE);
    }

    /** A table of a source is there with so many bytes. */
    synchronized void landed(Member source, TableRef table, long bytes) {
        table(source.endpoint(), table.toString(), table(source, table).whole(bytes, Stage.VERIFIED));
    }

    /** A table of a source is so far. */
    synchronized void at(Member source, TableRef table, Stage stage) {
        table(source.endpoint(), table.toString(), table(source, table).at(stage));
    }

    /** A table is imported from all its sources. */
    synchronized void imported(TableRef table) {
        bySource.values()
                .forEach(tables -> tables.computeIfPresent(
                        table.toString(), (name, now) -> now.whole(now.total(), Stage.IMPORTED)));
    }

    private static long done(Collection<SourceTable> tables) {
        return tables.stream().mapToLong(SourceTable::done).sum();
    }

    /** What this run has brought: that alone says how fast it is. */
    private static long fetched(Collection<SourceTable> tables) {
        return tables.stream().mapToLong(SourceTable::fetched).sum();
    }

    private static long total(Collection<SourceTable> tables) {
        return tables.stream().mapToLong(SourceTable::total).sum();
    }

    private List<SourceTable> all() {
        return bySource.values().stream()
                .flatMap(tables -> tables.values().stream())
                .toList();
    }

    /** All bytes that are to be brought, and the shares of the sources. */
    public synchronized Step step() {
        List<SourceTable> all = all();
        String shares = bySource.entrySet().stream()
                .map(source -> source.getKey() + " "
                        + percent(
                                done(source.getValue().values()),
                                total(source.getValue().values())))
                .collect(Collectors.joining(", "));
        rate.add(fetched(all), nanoClock.getAsLong());
        bySource.forEach((source, tables) -> rates.computeIfAbsent(source, key -> new RecentRate())
                .add(fetched(tables.values()), nanoClock.getAsLong()));
        return Step.ofBytes(all.isEmpty() ? "preparing" : "bringing", done(all), total(all))
                .noting((shares.isEmpty() ? "" : "from " + shares + "; ") + waitText());
    }

    /** Below the bytes of all: what is waited for, sources, tables, volumes. */
    public synchronized List<String> details() {
        List<String> details = new ArrayList<>();
        details.add("  " + rates() + waitText());
        if (!bySource.isEmpty()) {
            details.addAll(sources());
            details.addAll(tables());
        }
        if (!volumes.isEmpty()) {
            details.addAll(volumes());
        }
        return details;
    }

    /** The rate of the last seconds, and the time left as it was on average, with digests and imports. */
    private String rates() {
        List<SourceTable> all = all();
        double now = rate.bytesPerSecond();
        double seconds = (nanoClock.getAsLong() - startNanos) / NANOS_PER_SECOND;
        double average = seconds <= 0 ? 0 : fetched(all) / seconds;
        long left = total(all) - done(all);
        return (now == 0 ? "" : ByteFormat.rate(now) + ", ")
                + (average <= 0 || left == 0 ? "" : String.format(Locale.ROOT, "%.0f s left, ", left / average));
    }

    private String waitText() {
        return (limitBytesPerSecond == 0 ? "" : "limit " + ByteFormat.rate((double) limitBytesPerSecond) + ", ")
                + "waits for " + (wait.isEmpty() ? "answers of the agents" : wait) + ", "
                + TimeUnit.NANOSECONDS.toSeconds(nanoClock.getAsLong() - waitNanos) + " s"
                + heartbeat.map(problem -> "; no heartbeat: " + problem).orElse("");
    }

    private List<String> sources() {
        TextTable table = new TextTable("source", "received", "rate", "imported");
        bySource.entrySet().stream().limit(MOST_SOURCES).forEach(source -> {
            Collection<SourceTable> tables = source.getValue().values();
            RecentRate its = rates.get(source.getKey());
            table.row(
                    source.getKey(),
                    share(tables),
                    its == null || its.bytesPerSecond() == 0 ? "-" : ByteFormat.rate(its.bytesPerSecond()),
                    count(tables, Stage.IMPORTED) + " of " + tables.size() + " tables");
        });
        return withMore(table, bySource.size() - MOST_SOURCES, "sources");
    }

    private static long count(Collection<SourceTable> tables, Stage stage) {
        return tables.stream().filter(table -> table.stage() == stage).count();
    }

    /** Those that are being brought first, then those ahead, then those that are there. */
    private List<String> tables() {
        Map<String, List<SourceTable>> byTable = new TreeMap<>();
        bySource.values()
                .forEach(tables -> tables.forEach((name, table) ->
                        byTable.computeIfAbsent(name, key -> new ArrayList<>()).add(table)));
        TextTable table = new TextTable("table", "received", "sources");
        byTable.entrySet().stream()
                .sorted((a, b) -> Integer.compare(order(a.getValue()), order(b.getValue())))
                .limit(MOST_TABLES)
                .forEach(entry -> table.row(entry.getKey(), share(entry.getValue()), stages(entry.getValue())));
        return withMore(table, byTable.size() - MOST_TABLES, "tables");
    }

    private static int order(List<SourceTable> tables) {
        if (count(tables, Stage.IMPORTED) == tables.size()) {
            return 2;
        }
        return count(tables, Stage.AHEAD) == tables.size() ? 1 : 0;
    }

    /** As {@code 1 receiving, 1 verified}. */
    private static String stages(List<SourceTable> tables) {
        Map<Stage, Long> stages =
                tables.stream().collect(Collectors.groupingBy(SourceTable::stage, TreeMap::new, Collectors.counting()));
        return stages.entrySet().stream()
                .map(entry -> entry.getValue() + " " + entry.getKey().text)
                .collect(Collectors.joining(", "));
    }

    private List<String> volumes() {
        TextTable table = new TextTable("volume", "free", "still to come", "operations that wait for its disk");
        volumes.stream()
                .limit(MOST_VOLUMES)
                .forEach(volume -> table.row(
                        volume.directory().replaceFirst("/[.]sluice/staging$", ""),
                        ByteFormat.text(volume.freeBytes()),
                        ByteFormat.text(volume.reservedBytes()),
                        volume.failure().orElse(String.valueOf(volume.operations()))));
        return withMore(table, volumes.size() - MOST_VOLUMES, "volumes");
    }

    private static List<String> withMore(TextTable table, int more, String things) {
        List<String> lines = table.lines();
        if (more > 0) {
            lines.add("  and " + more + " more " + things);
        }
        return lines;
    }

    private static String share(Collection<SourceTable> tables) {
        return ByteFormat.text(done(tables)) + " of " + ByteFormat.text(total(tables)) + " ("
                + percent(done(tables), total(tables)) + ")";
    }

    private static String percent(long part, long whole) {
        return whole == 0 ? "100 %" : String.format(Locale.ROOT, "%.0f %%", Math.floor(100.0 * part / whole));
    }
}
