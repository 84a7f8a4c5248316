package io.sluice.netty;

import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.plan.SSTableSpan;
import io.sluice.streaming.plan.StreamPlan;
import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.progress.SessionProgress;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.store.TableRef;
import io.sluice.streaming.store.TableStore;
import java.io.IOException;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/**
 * The streaming engine of one node: listens for peers that fetch from this node, and executes stream plans that fetch
 * from peers.
 *
 * <p>Thread-safe. It owns its threads and connections; {@link #close()} ends them all.
 */
@SuppressWarnings({"DoNotCallSuggester", "ObjectToString"}) // stub until the engine lands
public final class StreamingNode implements AutoCloseable {

    private StreamingNode() {}

    /**
     * Recovers the staging directory of {@code store}, binds the address of {@code self} and accepts sessions.
     *
     * @throws IOException if recovery or binding fails
     */
    public static StreamingNode start(Node self, StreamOptions options, TableStore store) throws IOException {
        throw new IOException("not built yet: " + self + options + store);
    }

    /**
     * Starts to execute {@code plan}; all its data is fetched to this node.
     *
     * @return completes normally also if tables failed (see {@link PlanResult#isComplete()})
     */
    public CompletableFuture<PlanResult> execute(StreamPlan plan) {
        throw new IllegalStateException("not built yet: " + plan);
    }

    /** A sample of each session of a plan that this node executes; empty if there is no such plan. */
    public List<SessionProgress> progress(UUID planId) {
        throw new IllegalStateException("not built yet: " + planId);
    }

    /** Asks {@code source} for the SSTables that hold {@code ranges} of {@code table}: what planning needs. */
    public CompletableFuture<List<SSTableSpan>> spans(Node source, TableRef table, TokenRanges ranges) {
        throw new IllegalStateException("not built yet: " + source + table + ranges);
    }

    /** Fails running sessions, closes connections and ends all threads, within 10 s. */
    @Override
    public void close() {}
}
