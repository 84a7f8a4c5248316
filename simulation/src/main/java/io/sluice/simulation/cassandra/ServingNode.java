package io.sluice.simulation.cassandra;

import io.sluice.cassandra.net.IncomingLink;
import io.sluice.cassandra.net.OutgoingLink;
import io.sluice.cassandra.send.FileSender;
import io.sluice.cassandra.send.OutgoingFile;
import io.sluice.cassandra.send.SharedThrottle;
import io.sluice.cassandra.wire.FileHeader;
import io.sluice.cassandra.wire.StreamMessage;
import io.sluice.cassandra.wire.StreamMessage.Summary;
import io.sluice.streaming.StreamException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.SplittableRandom;

/**
 * A node that is asked for ranges and gives its SSTables, as a Cassandra node does: on connections of its own. Not
 * thread-safe: for threads that take turns.
 */
final class ServingNode {
    private static final Duration READ_TIMEOUT = Duration.ofMinutes(4);
    private static final long MOST_THINKING_MILLIS = 110_000;

    private final DialectHost host;
    private final SplittableRandom random;
    private final DialectPromises promises;
    private final List<DialectData.Sendable> sstables;
    private final int connections;

    ServingNode(
            DialectHost host,
            SplittableRandom random,
            DialectPromises promises,
            List<DialectData.Sendable> sstables,
            int connections) {
        this.host = host;
        this.random = random;
        this.promises = promises;
        this.sstables = sstables;
        this.connections = connections;
    }

    void listen() {
        host.listen(host.address(), this::serve, (peer, reason) -> promises.note("node refuses " + reason));
    }

    private void serve(IncomingLink control) {
        List<OutgoingLink> opened = new ArrayList<>();
        try {
            control.setReadTimeout(READ_TIMEOUT);
            if (control.read() instanceof StreamMessage.StreamInit init
                    && control.read() instanceof StreamMessage.PrepareSyn) {
                give(init, control, opened);
            }
        } catch (IOException | StreamException e) {
            promises.note("node fails: " + e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            opened.forEach(OutgoingLink::close);
        }
    }

    private void give(StreamMessage.StreamInit init, IncomingLink control, List<OutgoingLink> opened)
            throws IOException, InterruptedException {
        Queue<OutgoingFile> files = new ArrayDeque<>();
        int counted = 0;
        long bytes = 0;
        for (DialectData.Sendable one : sstables) {
            OutgoingFile file = OutgoingFile.of(one.transfer(), route(init, files.size()));
            files.add(file);
            counted += file.header().countedFiles();
            bytes += file.lengthBytes();
        }
        if (random.nextInt(4) == 0) {
            host.clockwork().sleep(random.nextLong(MOST_THINKING_MILLIS));
        }
        boolean isEmpty = files.isEmpty();
        control.send(new StreamMessage.PrepareSynAck(
                isEmpty ? List.of() : List.of(new Summary(DialectData.TABLE.id(), counted, bytes))));
        if (!isEmpty) {
            next(control); // PREPARE_ACK
        }
        int left = files.size();
        for (int i = 0; i < Math.min(connections, left); i++) {
            host.clockwork().start("give-" + i, () -> send(init, files, opened));
        }
        for (; left > 0; left--) {
            if (!(next(control) instanceof StreamMessage.Received)) {
                control.send(new StreamMessage.SessionFailed());
                return;
            }
        }
        control.send(new StreamMessage.Complete());
        next(control); // until the initiator closes
    }

    private static StreamMessage next(IncomingLink control) throws IOException {
        StreamMessage message = control.read();
        while (message instanceof StreamMessage.KeepAlive) {
            message = control.read();
        }
        return message;
    }

    private FileHeader.Route route(StreamMessage.StreamInit init, int sequence) {
        return new FileHeader.Route(
                DialectData.TABLE.id(),
                host.address(),
                init.planId(),
                true,
                init.sessionIndex(),
                sequence,
                0,
                Optional.empty());
    }

    private void send(StreamMessage.StreamInit init, Queue<OutgoingFile> files, List<OutgoingLink> opened) {
        try {
            OutgoingLink link = host.connect(init.from(), Optional.of(host.address()));
            opened.add(link);
            FileSender sender = new FileSender(link, new SharedThrottle(0), bytes -> {});
            for (OutgoingFile file = files.poll(); file != null; file = files.poll()) {
                sender.send(file);
            }
        } catch (IOException | StreamException e) {
            promises.note("node cannot send: " + e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
