package io.sluice.interop.live;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.google.common.util.concurrent.RateLimiter;
import io.sluice.harness.cassandra.Cql;
import io.sluice.harness.cassandra.LocalNode;
import java.io.IOException;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Writes of all kinds until it is closed: rows with and without a time to live, deletions, conditional writes, logged
 * batches, counters. Knows what was acknowledged. Owns a thread.
 */
final class MixedWriter implements AutoCloseable {
    private static final int WRITES_PER_SECOND = 100; // nodes and agents share two cores
    private static final int KINDS = 7;
    private static final int COUNTERS = 40;

    private final JoinTrial trial;
    private final CqlSession session;
    private final ConsistencyLevel level;
    private final AtomicBoolean isOver = new AtomicBoolean();
    private final Set<String> rows = new ConcurrentSkipListSet<>();
    private final Set<String> conditional = new ConcurrentSkipListSet<>();
    private final Set<String> deleted = new ConcurrentSkipListSet<>();
    private final Map<String, Integer> added = new ConcurrentHashMap<>();
    private final Map<String, Integer> tried = new ConcurrentHashMap<>();
    private final Thread thread = new Thread(this::run, "writer");

    private MixedWriter(JoinTrial trial, ConsistencyLevel level) {
        this.trial = trial;
        this.session = trial.nodes().cql().session();
        this.level = level;
    }

    /** Creates its tables, besides {@code t}. */
    static void create(JoinTrial trial) throws IOException {
        trial.create("conditional (k text PRIMARY KEY, v text)");
        trial.create("counts (k text PRIMARY KEY, n counter)");
    }

    /** @param rows of {@code t} that were acknowledged before */
    static MixedWriter start(JoinTrial trial, ConsistencyLevel level, Set<String> rows) {
        MixedWriter writer = new MixedWriter(trial, level);
        writer.rows.addAll(rows);
        writer.thread.start();
        return writer;
    }

    private void run() {
        RateLimiter pace = RateLimiter.create(WRITES_PER_SECOND);
        for (int i = 0; !isOver.get(); i++) {
            pace.acquire();
            try {
                write(i);
            } catch (DriverException e) {
                // It was not acknowledged, so nobody counts on it.
            }
        }
    }

    private void write(int i) {
        String key = "live-" + i;
        switch (i % KINDS) {
            case 0 -> {
                execute("INSERT INTO %s.t (k, v) VALUES (?, 'x') USING TTL 86400", key);
                rows.add(key);
            }
            case 1 -> {
                execute("INSERT INTO %s.t (k, v) VALUES (?, 'x')", key);
                execute("DELETE FROM %s.t WHERE k = ?", key);
                deleted.add(key);
            }
            case 2 -> {
                if (execute("INSERT INTO %s.conditional (k, v) VALUES (?, 'x') IF NOT EXISTS", key)
                        .getBoolean("[applied]")) {
                    conditional.add(key);
                }
            }
            case 3 -> {
                execute(
                        "BEGIN BATCH INSERT INTO %1$s.t (k, v) VALUES (?, 'x');"
                                + " INSERT INTO %1$s.t (k, v) VALUES (?, 'x'); APPLY BATCH",
                        key, key + "-too");
                rows.add(key);
                rows.add(key + "-too");
            }
            case 4 -> {
                String counter = "counter-" + i % COUNTERS;
                tried.merge(counter, 1, Integer::sum);
                execute("UPDATE %s.counts SET n = n + 1 WHERE k = ?", counter);
                added.merge(counter, 1, Integer::sum);
            }
            default -> {
                execute("INSERT INTO %s.t (k, v) VALUES (?, 'x')", key);
                rows.add(key);
            }
        }
    }

    /** The first row of the answer, if it has any. */
    private @Nullable Row execute(String statement, Object... values) {
        return session.execute(SimpleStatement.newInstance(statement.formatted(JoinTrial.KEYSPACE), values)
                        .setConsistencyLevel(level))
                .one();
    }

    /**
     * Requires that a node has what it owns of all that was acknowledged; all others are dead.
     *
     * @param owned as it was found while the others lived
     * @return in words, how much that is
     */
    String requireAll(LocalNode alone, Owned owned) throws IOException {
        try (Cql cql = Cql.connect(trial.nodes().options().cql(alone.number()))) {
            assertThat(JoinTrial.missing(cql, "t", owned.rows()))
                    .as("lost rows")
                    .isEmpty();
            assertThat(JoinTrial.missing(cql, "conditional", owned.conditional()))
                    .as("lost conditional writes")
                    .isEmpty();
            Set<String> gone = JoinTrial.missing(cql, "t", owned.deleted());
            assertThat(gone).as("deleted rows that are not there").isEqualTo(owned.deleted());
            for (String counter : owned.counters()) {
                assertThat(count(cql, counter))
                        .as(counter)
                        .isBetween(added.getOrDefault(counter, 0), tried.getOrDefault(counter, 0));
            }
        }
        return owned.rows().size() + " of " + rows.size() + " rows, "
                + owned.conditional().size() + " conditional writes, "
                + owned.deleted().size() + " deletions, "
                + owned.counters().size() + " counters";
    }

    /** Keys that a node owns. */
    record Owned(Set<String> rows, Set<String> conditional, Set<String> deleted, Set<String> counters) {}

    /** What a node owns of what was acknowledged. */
    Owned owned(LocalNode node) throws IOException {
        return new Owned(
                trial.owned(node, rows),
                trial.owned(node, conditional),
                trial.owned(node, deleted),
                trial.owned(node, added.keySet()));
    }

    private static int count(Cql cql, String counter) {
        Row row = JoinTrial.one(cql, "counts", counter);
        return row == null ? 0 : (int) row.getLong("n");
    }

    @Override
    public void close() throws InterruptedException {
        isOver.set(true);
        thread.join();
    }
}
