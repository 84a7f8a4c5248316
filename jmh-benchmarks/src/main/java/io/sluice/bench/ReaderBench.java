package io.sluice.bench;

import io.sluice.harness.content.TableFiles;
import io.sluice.netty.StreamOptions;
import io.sluice.netty.StreamingNode;
import io.sluice.sstable.SSTable;
import io.sluice.sstable.TableDirectory;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.component.SSTableId;
import io.sluice.sstable.data.SliceWriter;
import io.sluice.sstable.token.Token;
import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.message.SSTableOffer;
import io.sluice.streaming.plan.Operation;
import io.sluice.streaming.plan.StreamPlan;
import io.sluice.streaming.plan.StreamRequest;
import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.ring.Address;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.store.TableRef;
import io.sluice.streaming.transfer.block.OpenedTable;
import io.sluice.streaming.transfer.block.WholeSSTables;
import io.sluice.tools.FreePort;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;

/** A node that receives, and a minimal sender. */
final class ReaderBench implements TwoEnds {
    private static final String CLUSTER = "benchmark";

    private final StreamingNode receiver;
    private final OneTableStore store;
    private final PlainSender sender;
    private final StreamRequest request;
    private final Path scratch;

    private ReaderBench(
            StreamingNode receiver, OneTableStore store, PlainSender sender, StreamRequest request, Path scratch) {
        this.receiver = receiver;
        this.store = store;
        this.sender = sender;
        this.request = request;
        this.scratch = scratch;
    }

    /**
     * Starts a node without data, and a sender of the table {@code name}: of whole SSTables, or of a slice with half of
     * each, cut beforehand.
     */
    static ReaderBench start(String name, boolean halves) throws IOException {
        Path scratch = Scratch.directory();
        TableDirectory directory = PublishedTable.of(name, scratch);
        TokenRanges ranges = halves ? PublishedTable.halves(directory) : TokenRanges.FULL;
        Path offered = halves ? slices(directory, ranges, scratch) : directory.path();
        TableRef table = OneTableStore.refOf(directory);
        UUID sourceId = UUID.randomUUID();
        OneTableStore source = new OneTableStore(table, offered, scratch.resolve("unused"));
        OpenedTable pinned = new OpenedTable(source.pin(UUID.randomUUID(), table, ranges));
        List<SSTable> sstables = pinned.sstables(helper -> {}, () -> {});
        List<SSTableOffer> offers = WholeSSTables.offers(pinned, ranges, 0);
        PlainSender sender = new PlainSender(
                sourceId, offers, extent -> sstables.get(extent.offer()).path(extent.component()));
        Path live = Files.createDirectories(scratch.resolve("live"));
        OneTableStore store = new OneTableStore(table, live, scratch.resolve("staging"));
        Node self = new Node(
                UUID.randomUUID(), "receiver", new Address("127.0.0.1", FreePort.onLoopback()), List.of(new Token(0)));
        Node peer = new Node(sourceId, "sender", new Address("127.0.0.1", sender.port()), List.of(new Token(1)));
        StreamingNode receiver = StreamingNode.start(
                self, StreamOptions.builder().clusterName(CLUSTER).build(), store);
        return new ReaderBench(receiver, store, sender, new StreamRequest(peer, table, ranges), scratch);
    }

    private static Path slices(TableDirectory table, TokenRanges ranges, Path scratch) throws IOException {
        Path folder = Files.createDirectory(scratch.resolve("slices"));
        int id = 1;
        for (SSTable sstable : TableFiles.open(table)) {
            for (TokenRange range : ranges.ranges()) {
                SliceWriter.write(
                        sstable,
                        range,
                        folder,
                        new Descriptor(sstable.descriptor().version(), new SSTableId.Sequence(id++)));
            }
        }
        return folder;
    }

    /** Moves the table once, until it is durable and installed; returns its bytes. */
    long moveOnce() throws Exception {
        StreamPlan plan = new StreamPlan(UUID.randomUUID(), Operation.REPLACE, List.of(request));
        PlanResult result = receiver.execute(plan).get();
        if (!result.isComplete()) {
            throw new IOException("not installed: " + result.tables());
        }
        return result.tables().get(0).bytes();
    }

    @Override
    public void removeArrived() throws IOException {
        store.clear();
    }

    @Override
    public void close() throws IOException {
        receiver.close();
        sender.close();
        Scratch.delete(scratch);
    }
}
