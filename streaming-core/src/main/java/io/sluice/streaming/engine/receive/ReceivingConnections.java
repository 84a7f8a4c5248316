package io.sluice.streaming.engine.receive;

import io.sluice.streaming.StreamException;
import io.sluice.streaming.engine.SessionSteps;
import io.sluice.streaming.message.Extent;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.runtime.DataChannel;
import io.sluice.streaming.runtime.Network;
import io.sluice.streaming.runtime.NodeContext;
import io.sluice.streaming.session.Failure;
import io.sluice.streaming.session.ReceivingSession;
import io.sluice.streaming.session.ReceivingSession.Action;
import io.sluice.streaming.session.ReceivingSession.Event;
import io.sluice.streaming.throttle.CombinedThrottle;
import io.sluice.streaming.transfer.block.DataReceiver;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;
import org.slf4j.event.Level;

/**
 * The data connections of one receiving session: fetches extents, writes what is received, and posts events. Confined
 * to the loop, but for what connections call.
 */
final class ReceivingConnections {
    private final Node peer;
    private final Network.Purpose purpose;
    private final NodeContext node;
    private final StagedFiles files;
    private final CombinedThrottle limits;
    private final int dutyPercent;
    private final Supplier<Buffers.BufferLease> memory;
    private final SessionSteps<ReceivingSession.State, Event, Action> steps;
    private final Map<Integer, DataChannel> data = new HashMap<>();

    /**
     * Starts without connections.
     *
     * @param purpose of each connection, for the handshake
     * @param dutyPercent as of {@link DataReceiver}
     * @param memory of the session, granted before the first connection is opened
     */
    ReceivingConnections(
            Node peer,
            Network.Purpose purpose,
            NodeContext node,
            StagedFiles files,
            CombinedThrottle limits,
            int dutyPercent,
            Supplier<Buffers.BufferLease> memory,
            SessionSteps<ReceivingSession.State, Event, Action> steps) {
        this.peer = peer;
        this.purpose = purpose;
        this.node = node;
        this.files = files;
        this.limits = limits;
        this.dutyPercent = dutyPercent;
        this.memory = memory;
        this.steps = steps;
    }

    /** Opens a connection; its success or failure is an event. */
    void open(int connection) {
        try {
            DataChannel opening = node.environment()
                    .network()
                    .fetchFrom(peer, purpose, connection, new DataConnectionReceiver(connection));
            data.put(connection, opening);
        } catch (OutOfMemoryError | StreamException e) {
            // The open connections continue with one thread less.
            Failure why = Failure.of(e);
            steps.post(data.isEmpty() ? new Event.Failed(why) : new Event.DataLost(connection, why.toString()));
        }
    }

    /** Fetches extents; not on a connection that is lost: the session is notified of that. */
    void fetch(int connection, List<Extent> extents) {
        DataChannel channel = data.get(connection);
        if (channel != null) {
            channel.fetch(extents);
        }
    }

    /** Bytes of extents that are received in part. */
    long arrivingBytes() {
        return data.values().stream().mapToLong(DataChannel::arrivingBytes).sum();
    }

    /** Closes all connections. */
    void close() {
        data.values().forEach(DataChannel::close);
    }

    /** Receives the data of one data connection, and posts events to the loop. */
    private final class DataConnectionReceiver implements DataReceiver {
        private final int connection;

        DataConnectionReceiver(int connection) {
            this.connection = connection;
        }

        @Override
        public ByteBuffer takeBuffer() throws InterruptedIOException {
            return memory.get().take();
        }

        @Override
        public void releaseBuffer(ByteBuffer buffer) {
            memory.get().release(buffer);
        }

        @Override
        public CombinedThrottle limits() {
            return limits;
        }

        @Override
        public int dutyPercent() {
            return dutyPercent;
        }

        @Override
        public void opened() {
            steps.post(new Event.DataConnected(connection));
        }

        @Override
        public Landing begin(Extent extent) throws IOException {
            return files.enter(extent);
        }

        @Override
        public void received(Extent extent, long crc32) {
            try {
                files.landed(extent, crc32);
                steps.post(new Event.ExtentReceived(connection, extent, crc32));
            } catch (IOException e) {
                failed(e);
            }
        }

        @Override
        public void lost(String reason) {
            node.onLoop(() -> {
                data.remove(connection);
                steps.on(new Event.DataLost(connection, reason));
            });
        }

        @Override
        public void failed(Throwable cause) {
            try {
                steps.post(new Event.Failed(Failure.of(cause)));
            } catch (RejectedExecutionException closed) { // it waited for the disk until after the node was closed
                steps.log(
                        Level.WARN,
                        "plan {} data connection {} of {}: ended after the node was closed",
                        purpose.planId(),
                        connection,
                        peer);
            }
        }
    }
}
