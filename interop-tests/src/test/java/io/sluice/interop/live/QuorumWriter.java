package io.sluice.interop.live;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.google.common.util.concurrent.RateLimiter;
import io.sluice.harness.cassandra.Cql;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.atomic.AtomicBoolean;

/** Writes into table {@code t} at QUORUM until it is closed, and knows what was acknowledged. */
final class QuorumWriter implements AutoCloseable {
    private static final int WRITES_PER_SECOND = 100; // nodes and agents share two cores

    private final Set<String> acknowledged = new ConcurrentSkipListSet<>();
    private final AtomicBoolean isOver = new AtomicBoolean();
    private final String keyspace;
    private final Thread thread;

    QuorumWriter(Cql cql, String keyspace) {
        this.keyspace = keyspace;
        thread = new Thread(() -> run(cql), "writer");
        thread.start();
    }

    static void write(Cql cql, String keyspace, String key, ConsistencyLevel level) {
        cql.session()
                .execute(SimpleStatement.newInstance(
                                "INSERT INTO " + keyspace + ".t (k, v) VALUES (?, ?)", key, "value of " + key)
                        .setConsistencyLevel(level));
    }

    private void run(Cql cql) {
        RateLimiter pace = RateLimiter.create(WRITES_PER_SECOND);
        for (int i = 0; !isOver.get(); i++) {
            pace.acquire();
            try {
                write(cql, keyspace, "live-" + i, ConsistencyLevel.QUORUM);
                acknowledged.add("live-" + i);
            } catch (DriverException e) {
                // It was not acknowledged, so nobody counts on it.
            }
        }
    }

    Set<String> acknowledged() {
        return acknowledged;
    }

    @Override
    public void close() throws InterruptedException {
        isOver.set(true);
        thread.join();
    }
}
