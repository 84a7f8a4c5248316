package io.sluice.interop.live;

import static org.awaitility.Awaitility.await;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.cql.AsyncResultSet;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.metadata.Node;
import io.sluice.interop.live.MatrixNode.Table;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;

/** Writes rows through nodes of a live cluster, many at once. Not thread-safe. */
final class MatrixRows {
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final int STATEMENTS_AT_ONCE = 128;

    private final LiveCluster live;

    MatrixRows(LiveCluster live) {
        this.live = live;
    }

    private CqlSession session() {
        return live.cql().session();
    }

    /** The first node. */
    Node contact() {
        return session().getMetadata().findNode(live.contact()).orElseThrow();
    }

    /** The id that the first node has given the table. */
    UUID id(Table table) throws IOException {
        String answer = live.cql()
                .execute("SELECT id FROM system_schema.tables WHERE keyspace_name = '" + table.keyspace()
                        + "' AND table_name = '" + table.name() + "'")
                .rows()
                .get(0)
                .get(0);
        return UUID.fromString(answer);
    }

    /** Two nodes that know the table, which is empty; one that has just joined learns of tables late. */
    List<Node> two(Table table) {
        await().atMost(PATIENCE).until(() -> session().getMetadata().getNodes().size() == 2);
        List<Node> nodes = List.copyOf(session().getMetadata().getNodes().values());
        SimpleStatement read = SimpleStatement.newInstance(table.cql("SELECT * FROM $T LIMIT 1"));
        for (Node node : nodes) {
            await().atMost(PATIENCE)
                    .ignoreExceptionsInstanceOf(DriverException.class)
                    .until(() -> session().execute(read.setNode(node)).one() == null);
        }
        return nodes;
    }

    /** Executes the statements of one round, each through the next of the nodes. */
    void write(Table table, int round, List<Node> coordinators) {
        List<CompletionStage<AsyncResultSet>> running = new ArrayList<>();
        AtomicInteger count = new AtomicInteger();
        table.shape().load().statements(round).map(table::cql).forEach(statement -> {
            Node coordinator = coordinators.get(count.getAndIncrement() % coordinators.size());
            running.add(session()
                    .executeAsync(SimpleStatement.newInstance(statement).setNode(coordinator)));
            if (running.size() == STATEMENTS_AT_ONCE) {
                join(running);
            }
        });
        join(running);
    }

    private static void join(List<CompletionStage<AsyncResultSet>> running) {
        running.forEach(result -> result.toCompletableFuture().join());
        running.clear();
    }
}
