package io.sluice.harness.node;

import io.sluice.harness.admin.DigestOrder;
import io.sluice.harness.admin.NodeStatus;
import io.sluice.harness.admin.ReplaceOrder;
import io.sluice.harness.admin.ReplaceState;
import io.sluice.harness.admin.TableStatus;
import io.sluice.harness.config.NodeSettings;
import io.sluice.harness.config.StreamSettings;
import io.sluice.harness.content.RangeDigest;
import io.sluice.netty.StreamOptions;
import io.sluice.netty.StreamingNode;
import io.sluice.sstable.token.Token;
import io.sluice.streaming.ring.Address;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.store.TableRef;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** A store with Sluice embedded in it: what a database would be. Thread-safe. */
final class RunningNode implements AutoCloseable {
    private final Node self;
    private final NodeStore store;
    private final StreamingNode engine;
    private final AtomicReference<@Nullable Replacement> replacement = new AtomicReference<>();

    private RunningNode(Node self, NodeStore store, StreamingNode engine) {
        this.self = self;
        this.store = store;
        this.engine = engine;
    }

    /** Opens the store and starts the engine. */
    static RunningNode start(NodeSettings settings, StreamSettings streaming) throws IOException {
        Node self = new Node(
                settings.nodeId()
                        .orElseGet(
                                () -> UUID.nameUUIDFromBytes(settings.nodeName().getBytes(StandardCharsets.UTF_8))),
                settings.nodeName(),
                new Address(settings.listenAddress(), settings.storagePort()),
                settings.initialToken().stream().map(Token::new).toList());
        NodeStore store = NodeStore.open(settings.dataDirectory());
        StreamingNode engine = StreamingNode.start(self, options(streaming), store);
        try {
            store.load();
            return new RunningNode(self, store, engine);
        } catch (IOException e) {
            engine.close();
            throw e;
        }
    }

    private static StreamOptions options(StreamSettings settings) {
        return StreamOptions.builder()
                .clusterName(settings.clusterName())
                .streamEntireSSTables(settings.streamEntireSstables())
                .connectionsPerHost(settings.streamingConnectionsPerHost())
                .keepAliveSeconds(settings.streamingKeepAlivePeriod())
                .entireSSTableThroughputOutbound(settings.entireSstableStreamThroughputOutbound())
                .build();
    }

    NodeStatus status() {
        List<TableStatus> tables = store.tables().stream()
                .map(files -> new TableStatus(files.table(), files.sstables().size(), files.bytesOnDisk()))
                .toList();
        return new NodeStatus(self, engine.transport(), tables);
    }

    /** Becomes a replacement; repeating an order has no further effect. */
    ReplaceState replace(ReplaceOrder order) throws IOException {
        for (TableRef table : order.tables()) {
            store.createTable(table);
        }
        Replacement running =
                replacement.updateAndGet(earlier -> earlier == null ? Replacement.start(engine, self, order) : earlier);
        return running == null ? replaceState() : running.state();
    }

    ReplaceState replaceState() {
        Replacement running = replacement.get();
        if (running == null) {
            throw new IllegalStateException("this node replaces nobody (expected: an order to replace a node first)");
        }
        return running.state();
    }

    List<RangeDigest> digests(DigestOrder order) throws IOException {
        return store.files(order.tableId()).digests(order.ranges());
    }

    @Override
    public void close() {
        engine.close();
    }
}
