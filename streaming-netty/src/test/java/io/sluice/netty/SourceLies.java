package io.sluice.netty;

import io.sluice.netty.HostileSource.Lie;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.token.Token;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.message.ComponentManifest;
import io.sluice.streaming.message.Extent;
import io.sluice.streaming.message.Message;
import io.sluice.streaming.message.MessageCodec;
import io.sluice.streaming.message.SSTableOffer;
import io.sluice.streaming.mode.ModeChoice;
import io.sluice.streaming.progress.TransferMode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/** The lies of sources, a row each: in form correct, in content not. Long because there are as many. */
final class SourceLies {
    private static final long LARGEST_FILE = ComponentManifest.MAX_LENGTH_BYTES;

    private SourceLies() {}

    /**
     * One lie.
     *
     * @param ends codes with which the table may end, by the receiver's word; "installed" where the lie does no harm
     * @param isQuick whether it is told in every build
     */
    record Row(String name, List<String> ends, boolean isQuick, Lie lie) {
        @Override
        public String toString() {
            return name;
        }
    }

    private static Row quick(String name, String ends, Lie lie) {
        return new Row(name, List.of(ends.split(" ")), true, lie);
    }

    private static Row slow(String name, String ends, Lie lie) {
        return new Row(name, List.of(ends.split(" ")), false, lie);
    }

    static List<Row> rows() {
        List<Row> rows = new ArrayList<>();
        rows.addAll(ofOffers());
        rows.addAll(ofManifests());
        rows.addAll(ofMessages());
        rows.addAll(ofChecks());
        rows.addAll(ofBytes());
        return rows;
    }

    private static List<Row> ofOffers() {
        return List.of(
                quick("none at all", "installed", (honest, line) -> line.send(honest)),
                quick(
                        "offers of a table that nobody asked for",
                        "PROTOCOL",
                        offers(offer -> with(offer, offer.number(), new UUID(6, 6)))),
                quick(
                        "offers whose numbers begin at 5",
                        "PROTOCOL",
                        offers(offer -> with(offer, offer.number() + 5, offer.tableId()))),
                quick(
                        "offers with the largest number",
                        "PROTOCOL",
                        offers(offer -> with(offer, Integer.MAX_VALUE, offer.tableId()))),
                quick(
                        "offers with negative numbers",
                        "PROTOCOL",
                        offers(offer -> with(offer, Integer.MIN_VALUE, offer.tableId()))),
                quick(
                        "the same page of offers twice",
                        "PROTOCOL",
                        instead(Message.PrepareSynAck.class, (page, line) -> {
                            line.send(new Message.PrepareSynAck(page.offers(), false));
                            line.send(page);
                        })),
                quick(
                        "offers that change after the last page",
                        "PROTOCOL",
                        instead(Message.PrepareSynAck.class, (page, line) -> line.sendTogether(page, page))),
                quick(
                        "each SSTable twice, under two numbers",
                        "installed",
                        instead(Message.PrepareSynAck.class, (page, line) -> {
                            List<SSTableOffer> twice = new ArrayList<>(page.offers());
                            page.offers().forEach(offer -> twice.add(with(offer, twice.size(), offer.tableId())));
                            line.send(new Message.PrepareSynAck(twice, true));
                        })),
                slow("offers without end", "LIMIT", instead(Message.PrepareSynAck.class, (page, line) -> {
                    for (int next = 0; ; ) {
                        List<SSTableOffer> offers = new ArrayList<>();
                        for (int i = 0; i < 500; i++) {
                            offers.add(with(
                                    page.offers().get(0),
                                    next++,
                                    page.offers().get(0).tableId()));
                        }
                        line.send(new Message.PrepareSynAck(offers, false));
                    }
                })),
                slow(
                        "empty pages without end",
                        "TIMEOUT PROTOCOL",
                        instead(Message.PrepareSynAck.class, (page, line) -> {
                            while (true) {
                                line.send(new Message.PrepareSynAck(List.of(), false));
                            }
                        })),
                quick(
                        "no offers, for a table that it has",
                        "empty",
                        instead(
                                Message.PrepareSynAck.class,
                                (page, line) -> line.send(new Message.PrepareSynAck(List.of(), true)))));
    }

    private static List<Row> ofManifests() {
        return List.of(
                quick(
                        "a data file that is a byte longer",
                        "CORRUPT_AT_SOURCE CORRUPT_IN_FLIGHT",
                        data(data -> new ComponentManifest(data.component(), data.lengthBytes() + 1, data.crc32()))),
                quick(
                        "a data file that is a byte shorter",
                        "CORRUPT_AT_SOURCE CORRUPT_IN_FLIGHT",
                        data(data -> new ComponentManifest(data.component(), data.lengthBytes() - 1, data.crc32()))),
                quick(
                        "a data file with another checksum",
                        "CORRUPT_AT_SOURCE",
                        data(data -> new ComponentManifest(data.component(), data.lengthBytes(), data.crc32() ^ 1))),
                quick(
                        "a data file of 16 TiB",
                        "DISK_FULL LIMIT",
                        data(data -> new ComponentManifest(data.component(), LARGEST_FILE, data.crc32()))),
                quick(
                        "a data file without a byte",
                        "PEER_LOST PROTOCOL",
                        manifests(manifest ->
                                manifest.component() == Component.DATA ? Optional.of(new byte[12]) : Optional.empty())),
                quick(
                        "a data file without a byte, and a checksum",
                        "PEER_LOST PROTOCOL",
                        manifests(manifest -> manifest.component() == Component.DATA
                                ? Optional.of(bytesOf(0, 7))
                                : Optional.empty())),
                quick(
                        "files without a byte, all of them",
                        "PEER_LOST PROTOCOL",
                        manifests(manifest -> Optional.of(new byte[12]))),
                quick(
                        "files of a negative length",
                        "PEER_LOST PROTOCOL",
                        manifests(manifest -> Optional.of(bytesOf(-1, 0)))),
                quick(
                        "files longer than any",
                        "PEER_LOST PROTOCOL",
                        manifests(manifest -> Optional.of(bytesOf(Long.MAX_VALUE, 0)))),
                quick(
                        "an index of another table",
                        "CORRUPT_AT_SOURCE CORRUPT_IN_FLIGHT",
                        components((offer, manifest) -> manifest.component() == Component.INDEX
                                ? new ComponentManifest(
                                        Component.INDEX,
                                        manifest(offer).lengthBytes(),
                                        manifest(offer).crc32())
                                : manifest)),
                quick(
                        "files of 16 TiB, all of them",
                        "DISK_FULL LIMIT",
                        components(
                                (offer, component) -> new ComponentManifest(component.component(), LARGEST_FILE, 0))),
                quick(
                        "a sum of lengths beyond 2^63",
                        "DISK_FULL LIMIT PROTOCOL",
                        instead(Message.PrepareSynAck.class, (page, line) -> {
                            int next = 0;
                            for (int pages = 0; pages < 100; pages++) {
                                List<SSTableOffer> offers = new ArrayList<>();
                                for (int i = 0; i < 1_000; i++) {
                                    offers.add(with(
                                            page.offers().get(0),
                                            next++,
                                            manifest -> new ComponentManifest(manifest.component(), LARGEST_FILE, 0)));
                                }
                                line.send(new Message.PrepareSynAck(offers, pages == 99));
                            }
                        })),
                quick(
                        "tokens that are not those of the file",
                        "PROTOCOL OUT_OF_RANGE CORRUPT_AT_SOURCE",
                        offers(offer -> between(offer, Long.MIN_VALUE + 1, Long.MAX_VALUE))),
                quick(
                        "rows that are none",
                        "PROTOCOL CORRUPT_AT_SOURCE CORRUPT_IN_FLIGHT",
                        offers(offer -> as(
                                offer,
                                TransferMode.ROWS,
                                List.of(new ComponentManifest(
                                        Component.PART,
                                        manifest(offer).lengthBytes(),
                                        manifest(offer).crc32()))))),
                quick(
                        "a slice that is a whole SSTable",
                        "installed",
                        offers(offer -> as(offer, TransferMode.SLICE, offer.components()))),
                quick("another format", "PROTOCOL CORRUPT_AT_SOURCE", offers(SourceLies::asTrie)),
                quick(
                        "another version",
                        "installed PROTOCOL CORRUPT_AT_SOURCE NOT_WHOLE",
                        offers(offer -> called(offer, offer.source().toString().replace("nb-", "oa-")))));
    }

    private static List<Row> ofMessages() {
        return List.of(
                quick(
                        "a refusal of a table that nobody asked for",
                        "PROTOCOL",
                        instead(
                                Message.PrepareSynAck.class,
                                (page, line) -> line.send(
                                        new Message.TableRefused(new UUID(6, 6), ErrorCode.INTERNAL, "so there")))),
                quick(
                        "a table that is refused, and offered",
                        "UNKNOWN_TABLE",
                        instead(Message.PrepareSynAck.class, (page, line) -> {
                            UUID table = page.offers().get(0).tableId();
                            line.send(new Message.TableRefused(table, ErrorCode.UNKNOWN_TABLE, "so there"));
                            line.send(page);
                        })),
                quick(
                        "a table that is refused a hundred times",
                        "UNKNOWN_TABLE",
                        instead(Message.PrepareSynAck.class, (page, line) -> {
                            UUID table = page.offers().get(0).tableId();
                            for (int i = 0; i < 100; i++) {
                                line.send(new Message.TableRefused(table, ErrorCode.UNKNOWN_TABLE, "so there"));
                            }
                            line.send(new Message.PrepareSynAck(List.of(), true));
                        })),
                quick(
                        "complete before it has begun",
                        "PROTOCOL",
                        instead(Message.PrepareSynAck.class, (page, line) -> line.send(new Message.Complete()))),
                quick(
                        "complete after the offers",
                        "PROTOCOL",
                        instead(
                                Message.PrepareSynAck.class,
                                (page, line) -> line.sendTogether(page, new Message.Complete()))),
                quick("complete a hundred times", "installed", instead(Message.Complete.class, (end, line) -> {
                    for (int i = 0; i < 100; i++) {
                        line.send(end);
                    }
                })),
                slow("never complete", "installed", instead(Message.Complete.class, (end, line) -> {})),
                quick(
                        "a welcome by somebody else",
                        "WRONG_PEER",
                        instead(
                                Message.Welcome.class,
                                (welcome, line) -> line.send(new Message.Welcome(new UUID(6, 6), -1)))),
                quick(
                        "two welcomes",
                        "PROTOCOL PEER_LOST",
                        instead(Message.Welcome.class, (welcome, line) -> line.sendTogether(welcome, welcome))),
                quick(
                        "something else than a welcome, and then one",
                        "WRONG_PEER",
                        instead(
                                Message.Welcome.class,
                                (welcome, line) -> line.sendTogether(new Message.Complete(), welcome))),
                slow("no welcome", "TIMEOUT PEER_LOST", instead(Message.Welcome.class, (welcome, line) -> {})),
                quick(
                        "a failure with every reason there is",
                        "INTERNAL",
                        instead(
                                Message.PrepareSynAck.class,
                                (page, line) -> line.send(new Message.SessionFailed(
                                        ErrorCode.INTERNAL, "\u001b[2J\r\nERROR root: \u0000".repeat(40))))),
                quick("a hundred failures", "INTERNAL", instead(Message.PrepareSynAck.class, (page, line) -> {
                    for (int i = 0; i < 100; i++) {
                        line.send(new Message.SessionFailed(ErrorCode.INTERNAL, "no"));
                    }
                })),
                quick("a hello", "PROTOCOL", also(new Message.StreamInit(Message.StreamInit.MAX_OPERATION))),
                quick("a request", "PROTOCOL", also(new Message.PrepareSyn(List.of(), true))),
                quick("an acknowledgement", "PROTOCOL", also(new Message.PrepareAck())),
                quick("a receipt", "PROTOCOL", also(new Message.Received(0))),
                quick("an install", "PROTOCOL", also(new Message.Installed(new UUID(6, 6)))),
                quick(
                        "an extent on the control connection",
                        "PROTOCOL PEER_LOST",
                        also(new Message.Stream(new Extent(0, Component.DATA, 0, Extent.MAX_LENGTH_BYTES)))),
                quick("extreme heartbeats", "installed", instead(Message.PrepareSynAck.class, (page, line) -> {
                    for (long number : new long[] {Long.MIN_VALUE, -1, 0, Long.MAX_VALUE}) {
                        line.send(new Message.KeepAlive(
                                new Message.Doing("\n".repeat(1_000), (int) number, number, number, (int) number),
                                number));
                    }
                    line.send(page);
                })),
                slow("heartbeats without end", "TIMEOUT", instead(Message.PrepareSynAck.class, (page, line) -> {
                    while (true) {
                        line.send(new Message.KeepAlive(new Message.Doing("nothing", 0, 0, 0, 0), 0));
                    }
                })),
                slow(
                        "progress without end, and nothing else",
                        "TIMEOUT",
                        instead(Message.PrepareSynAck.class, (page, line) -> progressWithoutEnd(line, 1))),
                slow(
                        "the progress of who waits for others without end, and nothing else",
                        "TIMEOUT",
                        instead(Message.PrepareSynAck.class, (page, line) -> progressWithoutEnd(line, -1))));
    }

    private static List<Row> ofChecks() {
        return List.of(
                quick(
                        "checksums that nobody asked for",
                        "PROTOCOL",
                        also(new Message.FileSums(0, Component.DATA, 0, List.of(1, 2, 3), true))),
                quick(
                        "checksums that contradict the bytes",
                        "CORRUPT_IN_FLIGHT",
                        flipping((sums, line) -> line.send(sums))),
                quick(
                        "checksums that contradict themselves",
                        "CORRUPT_AT_SOURCE",
                        flipping((sums, line) -> line.send(new Message.FileSums(
                                sums.offer(),
                                sums.component(),
                                0,
                                Collections.nCopies(sums.crc32s().size(), 7),
                                true)))),
                quick(
                        "checksums from the middle on",
                        "PROTOCOL",
                        flipping((sums, line) -> line.send(
                                new Message.FileSums(sums.offer(), sums.component(), 1, sums.crc32s(), true)))),
                quick(
                        "checksums before the first",
                        "PROTOCOL",
                        flipping((sums, line) -> line.send(
                                new Message.FileSums(sums.offer(), sums.component(), -1, sums.crc32s(), true)))),
                quick(
                        "more checksums than extents",
                        "PROTOCOL",
                        flipping((sums, line) -> line.send(new Message.FileSums(
                                sums.offer(), sums.component(), 0, Collections.nCopies(200_000, 1), true)))),
                quick(
                        "checksums of another file",
                        "PROTOCOL",
                        flipping((sums, line) -> line.send(
                                new Message.FileSums(Integer.MAX_VALUE, sums.component(), 0, sums.crc32s(), true)))),
                slow("empty pages of checksums without end", "TIMEOUT PROTOCOL", flipping((sums, line) -> {
                    while (true) {
                        line.send(new Message.FileSums(sums.offer(), sums.component(), 0, List.of(), false));
                    }
                })));
    }

    private static List<Row> ofBytes() {
        return List.of(
                quick(
                        "an extent that nobody fetched",
                        "PEER_LOST PROTOCOL",
                        instead(
                                Message.Stream.class,
                                (stream, line) ->
                                        line.send(new Message.Stream(new Extent(0, Component.DATA, 1L << 40, 1))))),
                quick(
                        "an extent at the end of all numbers",
                        "PEER_LOST PROTOCOL",
                        instead(
                                Message.Stream.class,
                                (stream, line) -> line.send(
                                        new Message.Stream(new Extent(0, Component.DATA, 1L << 44, 64 << 20))))),
                quick(
                        "an extent that is longer than it was",
                        "PEER_LOST PROTOCOL",
                        instead(
                                Message.Stream.class,
                                (stream, line) -> line.send(new Message.Stream(new Extent(
                                        stream.extent().offer(),
                                        stream.extent().component(),
                                        stream.extent().offset(),
                                        Extent.MAX_LENGTH_BYTES))))),
                quick("each extent twice", "installed PEER_LOST PROTOCOL", new Lie() {
                    @Override
                    public void say(Message honest, Line line) throws IOException {
                        line.send(honest);
                    }

                    @Override
                    public byte[] bytes(Extent extent, byte[] honest) {
                        return twice(honest);
                    }
                }),
                quick(
                        "fewer bytes than announced",
                        "CORRUPT_IN_FLIGHT PEER_LOST PROTOCOL",
                        bytes(honest -> Arrays.copyOf(honest, honest.length - 1))),
                quick("a bit that is another one, each time", "CORRUPT_IN_FLIGHT", bytes(SourceLies::flipped)),
                quick(
                        "a fetch from the source",
                        "PEER_LOST PROTOCOL",
                        instead(
                                Message.Stream.class,
                                (stream, line) -> line.send(new Message.Fetch(List.of(stream.extent()))))),
                quick(
                        "an end on the data connection",
                        "PEER_LOST PROTOCOL",
                        instead(Message.Stream.class, (stream, line) -> line.send(new Message.Complete()))),
                quick(
                        "a failure on the data connection",
                        "PEER_LOST FENCED",
                        instead(
                                Message.Stream.class,
                                (stream, line) -> line.send(new Message.SessionFailed(ErrorCode.FENCED, "no")))),
                quick(
                        "garbage of the right length",
                        "CORRUPT_AT_SOURCE CORRUPT_IN_FLIGHT",
                        bytes(honest -> new byte[honest.length])),
                slow(
                        "heartbeats on the data connection without end",
                        "TIMEOUT PEER_LOST",
                        instead(Message.Stream.class, (stream, line) -> {
                            while (true) {
                                line.send(new Message.KeepAlive(new Message.Doing("nothing", 0, 0, 0, 0), 0));
                            }
                        })),
                slow(
                        "nothing on the data connection, and progress without end on the other",
                        "TIMEOUT PEER_LOST",
                        new Lie() {
                            @Override
                            public void say(Message honest, Line line) throws IOException {
                                if (honest instanceof Message.Stream) {
                                    line.awaitEnd();
                                } else if (honest instanceof Message.KeepAlive) {
                                    progressWithoutEnd(line, 1);
                                } else {
                                    line.send(honest);
                                }
                            }
                        }));
    }

    private static void progressWithoutEnd(Line line, int step) throws IOException {
        for (long progress = step; line.poll(50).isEmpty() || progress != 0; progress += step) {
            line.send(new Message.KeepAlive(new Message.Doing("work", 0, 0, 0, 0), progress));
        }
    }

    /** What is said instead of one kind of message. */
    interface Instead<M extends Message> {
        void say(M honest, Line line) throws IOException;
    }

    private static <M extends Message> Lie instead(Class<M> kind, Instead<M> other) {
        return (honest, line) -> {
            if (kind.isInstance(honest)) {
                other.say(kind.cast(honest), line);
            } else {
                line.send(honest);
            }
        };
    }

    /** Something more before the offers. */
    private static Lie also(Message message) {
        return instead(Message.PrepareSynAck.class, (page, line) -> line.sendTogether(message, page));
    }

    private static Lie offers(UnaryOperator<SSTableOffer> change) {
        return instead(
                Message.PrepareSynAck.class,
                (page, line) -> line.send(new Message.PrepareSynAck(
                        page.offers().stream().map(change).toList(), page.last())));
    }

    /** Another manifest of each file. */
    private interface Manifest {
        ComponentManifest of(SSTableOffer offer, ComponentManifest honest);
    }

    private static Lie components(Manifest change) {
        return offers(offer -> as(
                offer,
                offer.choice().mode(),
                offer.components().stream()
                        .map(manifest -> change.of(offer, manifest))
                        .toList()));
    }

    /** Length and checksum of files as no honest codec writes them; empty for what is left as it is. */
    private static Lie manifests(Function<ComponentManifest, Optional<byte[]>> change) {
        return instead(Message.PrepareSynAck.class, (page, line) -> {
            ByteBuffer encoded = MessageCodec.encode(page);
            byte[] frame = new byte[encoded.remaining()];
            encoded.get(frame);
            for (SSTableOffer offer : page.offers()) {
                for (ComponentManifest manifest : offer.components()) {
                    byte[] honest = bytesOf(manifest.lengthBytes(), (int) manifest.crc32());
                    change.apply(manifest).ifPresent(other -> RawFrame.replace(frame, honest, other));
                }
            }
            line.send(frame);
        });
    }

    private static byte[] bytesOf(long length, int crc32) {
        return ByteBuffer.allocate(12).putLong(length).putInt(crc32).array();
    }

    private static Lie data(UnaryOperator<ComponentManifest> change) {
        return components(
                (offer, manifest) -> manifest.component() == Component.DATA ? change.apply(manifest) : manifest);
    }

    private static Lie bytes(UnaryOperator<byte[]> change) {
        return new Lie() {
            @Override
            public void say(Message honest, Line line) throws IOException {
                line.send(honest);
            }

            @Override
            public byte[] bytes(Extent extent, byte[] honest) {
                return change.apply(honest);
            }
        };
    }

    /** Bytes that are damaged each time, and something said about it. */
    private static Lie flipping(Instead<Message.FileSums> sums) {
        Lie said = instead(Message.FileSums.class, sums);
        return new Lie() {
            @Override
            public void say(Message honest, Line line) throws IOException {
                said.say(honest, line);
            }

            @Override
            public byte[] bytes(Extent extent, byte[] honest) {
                return flipped(honest);
            }
        };
    }

    private static byte[] flipped(byte[] honest) {
        byte[] other = honest.clone();
        other[other.length / 2] ^= 1;
        return other;
    }

    private static byte[] twice(byte[] honest) {
        byte[] twice = Arrays.copyOf(honest, 2 * honest.length);
        System.arraycopy(honest, 0, twice, honest.length, honest.length);
        return twice;
    }

    private static ComponentManifest manifest(SSTableOffer offer) {
        return offer.manifest(Component.DATA).orElseThrow();
    }

    private static SSTableOffer with(SSTableOffer offer, int number, UUID table) {
        return new SSTableOffer(
                number, table, offer.source(), offer.first(), offer.last(), offer.choice(), offer.components());
    }

    private static SSTableOffer with(SSTableOffer offer, int number, UnaryOperator<ComponentManifest> change) {
        return new SSTableOffer(
                number,
                offer.tableId(),
                offer.source(),
                offer.first(),
                offer.last(),
                offer.choice(),
                offer.components().stream().map(change).toList());
    }

    private static SSTableOffer between(SSTableOffer offer, long first, long last) {
        return new SSTableOffer(
                offer.number(),
                offer.tableId(),
                offer.source(),
                new Token(first),
                new Token(last),
                offer.choice(),
                offer.components());
    }

    private static SSTableOffer as(SSTableOffer offer, TransferMode mode, List<ComponentManifest> components) {
        return new SSTableOffer(
                offer.number(),
                offer.tableId(),
                offer.source(),
                offer.first(),
                offer.last(),
                new ModeChoice(mode, "it says so"),
                components);
    }

    private static SSTableOffer called(SSTableOffer offer, String name) {
        Descriptor other = Descriptor.parse(name + "-" + Component.DATA.fileName())
                .orElseThrow()
                .descriptor();
        return new SSTableOffer(
                offer.number(),
                offer.tableId(),
                other,
                offer.first(),
                offer.last(),
                offer.choice(),
                offer.components());
    }

    /** A trie of partitions where there is an index, which is what the other format has. */
    private static SSTableOffer asTrie(SSTableOffer offer) {
        List<ComponentManifest> components = offer.components().stream()
                .map(manifest -> manifest.component() == Component.INDEX
                        ? new ComponentManifest(Component.PARTITIONS, manifest.lengthBytes(), manifest.crc32())
                        : manifest)
                .toList();
        Descriptor trie = Descriptor.parse("da-1-bti-Data.db").orElseThrow().descriptor();
        return new SSTableOffer(
                offer.number(), offer.tableId(), trie, offer.first(), offer.last(), offer.choice(), components);
    }
}
