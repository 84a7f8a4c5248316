package io.sluice.simulation.cassandra;

import io.sluice.cassandra.wire.FileHeader;
import io.sluice.cassandra.wire.MessageWriter;
import io.sluice.cassandra.wire.StreamMessage;
import io.sluice.cassandra.wire.StreamMessage.Summary;
import io.sluice.sstable.index.Section;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.UUID;

/** What a peer says that is wrong or hostile, in form. Not thread-safe: for threads that take turns. */
final class Lies {
    private static final int MOST_GARBAGE_BYTES = 64;
    private static final int MANY_SUMMARIES = 4_000;

    private final SplittableRandom random;
    private double rate;
    private byte[] garbage = {};
    private boolean hasLied;

    /** @param rate how likely each message is a lie, from 0 to 1 */
    Lies(SplittableRandom random, double rate) {
        this.random = random;
        this.rate = rate;
    }

    boolean hasLied() {
        return hasLied;
    }

    /** From now on it is honest. */
    void stop() {
        rate = 0;
    }

    boolean isGarbage(byte[] bytes) {
        return bytes == garbage;
    }

    /** What is sent instead of {@code message}, whose bytes are {@code written}. */
    List<byte[]> inPlaceOf(StreamMessage message, byte[] written) {
        if (rate == 0 || random.nextDouble() >= rate) {
            return List.of(written);
        }
        hasLied = true;
        return switch (random.nextInt(6)) {
            case 0 -> List.of(); // never said
            case 1 -> List.of(written, written); // said twice
            case 2 -> List.of(other(), written); // something else first
            case 3 -> List.of(written, other()); // and more
            case 4 -> List.of(anything());
            default -> List.of(MessageWriter.encode(changed(message)).toArray());
        };
    }

    private byte[] anything() {
        garbage = new byte[1 + random.nextInt(MOST_GARBAGE_BYTES)];
        for (int i = 0; i < garbage.length; i++) {
            garbage[i] = (byte) random.nextInt();
        }
        garbage[0] = (byte) random.nextInt(12); // often the type of a message
        return garbage;
    }

    private byte[] other() {
        StreamMessage message = switch (random.nextInt(10)) {
            case 0 -> new StreamMessage.KeepAlive();
            case 1, 7, 8 -> new StreamMessage.Complete();
            case 2 -> new StreamMessage.PrepareAck();
            case 3 -> new StreamMessage.PrepareSynAck(List.of());
            case 4 -> new StreamMessage.PrepareSynAck(List.of(summary(), summary()));
            case 5 -> new StreamMessage.Received(table(), random.nextInt(4));
            case 6 -> new StreamMessage.PrepareSyn(List.of(), many());
            default -> new StreamMessage.PrepareSyn(List.of(), List.of(summary()));
        };
        return MessageWriter.encode(message).toArray();
    }

    private UUID table() {
        return random.nextBoolean() ? DialectData.TABLE.id() : new UUID(random.nextLong(), random.nextLong());
    }

    private Summary summary() {
        return new Summary(table(), number(3), number(1_000_000));
    }

    /** So long that memory must be reserved for them. */
    private List<Summary> many() {
        List<Summary> all = new ArrayList<>();
        for (int i = 0; i < MANY_SUMMARIES; i++) {
            all.add(summary());
        }
        return all;
    }

    /** Rarely what it was. */
    private int number(int honest) {
        return switch (random.nextInt(5)) {
            case 0 -> 0;
            case 1 -> Integer.MAX_VALUE;
            case 2 -> honest + 1;
            case 3 -> Math.max(0, honest - 1);
            default -> random.nextInt(1 << 20);
        };
    }

    private StreamMessage changed(StreamMessage message) {
        if (message instanceof FileHeader header) {
            return changed(header);
        }
        if (message instanceof StreamMessage.Received m) {
            return random.nextBoolean()
                    ? new StreamMessage.Received(m.tableId(), number(m.sequence()))
                    : new StreamMessage.Received(table(), m.sequence());
        }
        if (message instanceof StreamMessage.PrepareSyn m) {
            return new StreamMessage.PrepareSyn(m.requests(), changed(m.summaries()));
        }
        if (message instanceof StreamMessage.PrepareSynAck m) {
            return new StreamMessage.PrepareSynAck(changed(m.summaries()));
        }
        if (message instanceof StreamMessage.StreamInit m) {
            return new StreamMessage.StreamInit(
                    m.from(),
                    random.nextInt(3),
                    random.nextBoolean() ? m.planId() : table(),
                    m.operation(),
                    random.nextBoolean() ? Optional.of(table()) : Optional.empty(),
                    random.nextInt(2));
        }
        return new StreamMessage.SessionFailed();
    }

    private List<Summary> changed(List<Summary> summaries) {
        List<Summary> changed = new ArrayList<>();
        for (Summary one : summaries) {
            changed.add(
                    switch (random.nextInt(3)) {
                        case 0 -> new Summary(one.tableId(), number(one.files()), one.lengthBytes());
                        case 1 -> new Summary(one.tableId(), one.files(), random.nextBoolean() ? 0 : 1L << 47);
                        default -> new Summary(table(), one.files(), one.lengthBytes());
                    });
        }
        if (random.nextBoolean()) {
            changed.add(summary());
        }
        return changed;
    }

    private FileHeader changed(FileHeader header) {
        FileHeader.Route route = header.route();
        boolean isRouted = random.nextBoolean();
        FileHeader.Route changed = isRouted ? changed(route) : route;
        List<Section> sections = isRouted || header.sections().isEmpty()
                ? header.sections()
                : random.nextInt(4) == 0
                        ? List.of()
                        : List.of(new Section(0, 1L + number(1_000) * (long) number(1_000)));
        return new FileHeader(
                changed,
                isRouted ? header.version() : random.nextBoolean() ? "oa" : header.version(),
                header.format(),
                number(100),
                sections,
                header.compression(),
                header.level(),
                header.serializationHeader(),
                isRouted ? header.whole() : header.whole().map(this::changed));
    }

    private FileHeader.Route changed(FileHeader.Route route) {
        int what = random.nextInt(7);
        return new FileHeader.Route(
                what == 0 ? table() : route.tableId(),
                route.sender(),
                what == 1 ? table() : route.planId(),
                (what == 2) != route.sentByFollower(),
                what == 3 ? number(0) : route.sessionIndex(),
                what > 3 ? number(route.sequence()) : route.sequence(),
                route.repairedAtMillis(),
                route.pendingRepair());
    }

    private FileHeader.Whole changed(FileHeader.Whole whole) {
        List<FileHeader.Entry> manifest = new ArrayList<>(whole.manifest());
        int at = random.nextInt(manifest.size());
        FileHeader.Entry entry = manifest.get(at);
        switch (random.nextInt(4)) {
            case 0 -> manifest.set(at, new FileHeader.Entry(entry.component(), number((int) entry.lengthBytes())));
            case 1 -> manifest.set(at, new FileHeader.Entry("../escape.db", entry.lengthBytes()));
            case 2 -> manifest.add(entry);
            default -> manifest.set(at, new FileHeader.Entry(entry.component(), 1L << 47));
        }
        return new FileHeader.Whole(manifest, whole.firstKey());
    }
}
