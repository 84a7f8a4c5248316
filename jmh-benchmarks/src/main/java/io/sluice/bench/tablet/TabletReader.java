package io.sluice.bench.tablet;

import io.sluice.sstable.SSTable;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.component.Version;
import io.sluice.sstable.encoding.GrowingBuffer;
import io.sluice.sstable.encoding.LocalFiles;
import io.sluice.sstable.encoding.OwnerOnly;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.transfer.channel.ChannelInput;
import io.sluice.streaming.transfer.channel.ChannelOutput;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import java.util.zip.CRC32;

/**
 * Receives the SSTables of a tablet as files, each durable and checked before it is answered. Not thread-safe: one
 * transfer each; the channels belong to the caller.
 */
public final class TabletReader {
    private static final String TEMPORARY = ".tmp";
    private static final int MAX_NAME_BYTES = 64;

    private final ChannelInput in;
    private final ChannelOutput answers;
    private final UUID session;
    private final List<Path> unsealed = new ArrayList<>();

    /** @param session of the move: another one is refused */
    public TabletReader(ReadableByteChannel in, WritableByteChannel answers, UUID session) {
        this(new ChannelInput(in), answers, session);
    }

    TabletReader(ChannelInput in, WritableByteChannel answers, UUID session) {
        this.in = in;
        this.answers = new ChannelOutput(answers);
        this.session = session;
    }

    /**
     * Receives everything. What is not sealed is deleted if it fails; SSTables that are sealed by then stay.
     *
     * @param directory exists
     * @param names gives a name of that version, never used before
     * @return the SSTables, durable, in the order in which they came
     * @throws StreamException of code {@link ErrorCode#PROTOCOL}, {@link ErrorCode#PEER_LOST} or
     *     {@link ErrorCode#CORRUPT_IN_FLIGHT}
     * @throws IOException if the channel or the disk fails
     */
    public List<SSTable> receive(Path directory, Function<Version, Descriptor> names) throws IOException {
        try {
            return receiveAll(directory, names);
        } finally {
            for (Path file : unsealed) {
                Files.deleteIfExists(file);
            }
        }
    }

    private List<SSTable> receiveAll(Path directory, Function<Version, Descriptor> names) throws IOException {
        int magic = in.readInt();
        UUID sent = new UUID(in.readLong(), in.readLong());
        if (magic != TabletWriter.MAGIC || !sent.equals(session)) {
            throw in.refused("session " + sent + " (expected: " + session + ")");
        }
        List<SSTable> sstables = new ArrayList<>();
        Set<Component> received = EnumSet.noneOf(Component.class);
        Descriptor descriptor = null;
        while (oneOf("what comes next", TabletWriter.COMPONENT, TabletWriter.END) == TabletWriter.COMPONENT) {
            boolean isLast = oneOf("whether it is the last component", 0, 1) == 1;
            Version version = version();
            Component component = component();
            if (descriptor == null) {
                descriptor = names.apply(version);
                received.clear();
            }
            if (descriptor.version() != version || !received.add(component)) {
                throw in.refused(component.fileName() + " of version " + version.letters()
                        + " (expected: each once, of " + descriptor + ")");
            }
            Path file = directory.resolve(descriptor.fileName(component));
            receive(component == Component.TOC ? file.resolveSibling(file.getFileName() + TEMPORARY) : file);
            if (isLast) {
                sstables.add(seal(directory, descriptor));
                descriptor = null;
            }
            answers.write(new GrowingBuffer().putByte(0));
        }
        if (descriptor != null) {
            throw in.refused("the end in the middle of an SSTable");
        }
        return sstables;
    }

    private int oneOf(String what, int first, int second) throws IOException {
        int value = in.readUnsignedByte();
        if (value != first && value != second) {
            throw in.refused(what + ": " + value + " (expected: " + first + " or " + second + ")");
        }
        return value;
    }

    private void receive(Path path) throws IOException {
        CRC32 crc = new CRC32();
        try (FileChannel file = OwnerOnly.open(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            unsealed.add(path);
            int length = messageLength();
            while (length > 0) {
                in.transferTo(file, length, crc);
                length = messageLength();
            }
            file.force(true);
        }
        int expected = in.readInt();
        if ((int) crc.getValue() != expected) {
            throw new StreamException(
                    ErrorCode.CORRUPT_IN_FLIGHT,
                    path.getFileName() + ": CRC-32 " + Long.toHexString(crc.getValue()) + " (expected: "
                            + Integer.toHexString(expected) + "); what had arrived was dropped");
        }
    }

    private int messageLength() throws IOException {
        return in.readInt("length of a message", 0, TabletWriter.MESSAGE_BYTES);
    }

    private SSTable seal(Path directory, Descriptor descriptor) throws IOException {
        Path toc = directory.resolve(descriptor.fileName(Component.TOC));
        SSTable sstable = SSTable.open(directory, descriptor);
        var files = new LocalFiles();
        files.syncDirectory(directory);
        Files.move(toc.resolveSibling(toc.getFileName() + TEMPORARY), toc, StandardCopyOption.ATOMIC_MOVE);
        files.syncDirectory(directory);
        unsealed.clear();
        return sstable;
    }

    private Version version() throws IOException {
        String letters = text();
        for (Version version : Version.values()) {
            if (version.letters().equals(letters)) {
                return version;
            }
        }
        throw in.refused("version " + letters + " (expected: nb, oa or da)");
    }

    private Component component() throws IOException {
        String name = text();
        return Component.ofFileName(name)
                .filter(Component.ofSSTables()::contains)
                .orElseThrow(() -> in.refused("component " + name + " (expected: one of an SSTable)"));
    }

    private String text() throws IOException {
        int length = in.readUnsignedByte() << Byte.SIZE | in.readUnsignedByte();
        if (length > MAX_NAME_BYTES) {
            throw in.refused("length of a name: " + length + " (expected: at most " + MAX_NAME_BYTES + ")");
        }
        byte[] bytes = new byte[length];
        in.readFully(bytes, 0, length);
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
