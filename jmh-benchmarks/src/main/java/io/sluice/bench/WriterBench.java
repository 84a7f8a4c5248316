package io.sluice.bench;

import io.sluice.netty.StreamOptions;
import io.sluice.netty.StreamingNode;
import io.sluice.sstable.TableDirectory;
import io.sluice.sstable.token.Token;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.ring.Address;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.store.TableRef;
import io.sluice.tools.FreePort;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;

/** A node that sends, and a minimal receiver. */
final class WriterBench implements TwoEnds {
    private static final String CLUSTER = "benchmark";

    private final StreamingNode sender;
    private final PlainReceiver receiver;
    private final Path scratch;

    private WriterBench(StreamingNode sender, PlainReceiver receiver, Path scratch) {
        this.sender = sender;
        this.receiver = receiver;
        this.scratch = scratch;
    }

    /** Starts a node with the table {@code name}; moves whole SSTables, or half of each. */
    static WriterBench start(String name, boolean halves) throws IOException {
        Path scratch = Scratch.directory();
        TableDirectory directory = PublishedTable.of(name, scratch);
        TableRef table = OneTableStore.refOf(directory);
        Node self = new Node(
                UUID.randomUUID(), "sender", new Address("127.0.0.1", FreePort.onLoopback()), List.of(new Token(0)));
        StreamingNode sender = StreamingNode.start(
                self,
                StreamOptions.builder().clusterName(CLUSTER).build(),
                new OneTableStore(table, directory.path(), scratch.resolve("staging")));
        Path received = Files.createDirectories(scratch.resolve("received"));
        TokenRanges ranges = halves ? PublishedTable.halves(directory) : TokenRanges.FULL;
        return new WriterBench(sender, new PlainReceiver(CLUSTER, self, table.id(), ranges, received), scratch);
    }

    /** Moves the table once; returns the bytes of all files. */
    long moveOnce() throws IOException {
        return receiver.fetchAll();
    }

    @Override
    public void removeArrived() throws IOException {
        receiver.removeFiles();
    }

    @Override
    public void close() throws IOException {
        sender.close();
        Scratch.delete(scratch);
    }
}
