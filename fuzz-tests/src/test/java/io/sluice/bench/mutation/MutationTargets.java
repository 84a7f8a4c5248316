package io.sluice.bench.mutation;

import io.sluice.fuzz.MemoryFiles;
import io.sluice.fuzz.Pieces;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.component.SSTableId;
import io.sluice.sstable.component.Version;
import io.sluice.sstable.data.SerializationHeader;
import io.sluice.sstable.data.WriterOptions;
import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.encoding.GrowingBuffer;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.transfer.channel.ChannelInput;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.FileSystemException;
import java.util.EnumSet;
import java.util.zip.CRC32;

/** Rows as they travel: frames, the opening, and fragments in both encodings. Stateless. */
public final class MutationTargets {
    private static final Descriptor NAME = new Descriptor(Version.OA, new SSTableId.Sequence(1));
    private static final int BUFFER_BYTES = 1 << 10;
    private static final long MEMTABLE_BYTES = 1 << 20;

    private MutationTargets() {}

    /** The payload of an opening. */
    public static void opening(byte[] input) {
        Opening.decode(ByteBuffer.wrap(input));
    }

    /** Frames as they are, one after the other. */
    public static void frames(byte[] input) throws IOException {
        FrameInput frames = new FrameInput(new ChannelInput(channel(input), BUFFER_BYTES));
        Frame.Kind[] all = EnumSet.complementOf(EnumSet.of(Frame.Kind.FAILED)).toArray(Frame.Kind[]::new);
        do {
            Frame frame = frames.next(Frame.Kind.OPENING, all);
            if (frame.kind() == Frame.Kind.APPLIED) {
                frames.number(frame, 1, Integer.MAX_VALUE);
            }
        } while (frames.hasMore());
    }

    /** The serialization header with its length in front, then fragments of fixed width. */
    public static void fixedFragments(byte[] input) throws IOException {
        fragments(Encoding.FIXED, input);
    }

    /** The serialization header with its length in front, then fragments of differences. */
    public static void deltaFragments(byte[] input) throws IOException {
        fragments(Encoding.DELTA, input);
    }

    private static void fragments(Encoding encoding, byte[] input) throws IOException {
        Pieces pieces = new Pieces(input);
        SerializationHeader header = SerializationHeader.parse(Bytes.wrap(pieces.next()));
        FragmentCodec codec = encoding.codec(header);
        FragmentOrder order = new FragmentOrder(header, true);
        ByteBuffer in = ByteBuffer.wrap(pieces.rest());
        GrowingBuffer again = new GrowingBuffer();
        RowStream.orFailPeer(new FrameOutput(nowhere()), ErrorCode.PROTOCOL, () -> {
            while (in.hasRemaining()) {
                Fragment fragment = codec.decode(in);
                order.check(fragment);
                codec.encode(fragment, again);
            }
            order.checkEnd();
            return header;
        });
    }

    /** An opening with its length in front, then the payload of fragments: the whole way into an SSTable. */
    public static void direct(byte[] input) throws IOException {
        try (MemoryFiles.Folder folder = MemoryFiles.folder()) {
            new DirectReader(new ChannelInput(channel(framed(input)), BUFFER_BYTES), nowhere(), TokenRanges.FULL)
                    .receive(folder.path(), NAME, WriterOptions.DEFAULTS);
        } catch (FileSystemException noDirectoryToSync) {
            MemoryFiles.requireNoDirectory(noDirectoryToSync);
        }
    }

    private static byte[] framed(byte[] input) {
        Pieces pieces = new Pieces(input);
        GrowingBuffer stream = new GrowingBuffer();
        put(Frame.Kind.OPENING, pieces.next(), stream);
        put(Frame.Kind.FRAGMENTS, pieces.rest(), stream);
        put(Frame.Kind.END, new byte[0], stream);
        return stream.toBytes().toArray();
    }

    private static void put(Frame.Kind kind, byte[] payload, GrowingBuffer to) {
        CRC32 crc = new CRC32();
        crc.update(kind.number());
        crc.update(payload);
        to.putInt(payload.length)
                .putByte(kind.number())
                .putInt((int) crc.getValue())
                .put(Bytes.wrap(payload));
    }

    /** An opening with its length in front, then a partition, likewise, and another: the way through memory. */
    public static void memtable(byte[] input) throws IOException {
        Pieces pieces = new Pieces(input);
        GrowingBuffer stream = new GrowingBuffer();
        put(Frame.Kind.OPENING, pieces.next(), stream);
        put(Frame.Kind.PARTITION, pieces.next(), stream);
        put(Frame.Kind.PARTITION, pieces.rest(), stream);
        put(Frame.Kind.END, new byte[0], stream);
        try (MemoryFiles.Folder folder = MemoryFiles.folder()) {
            var target = new MemtableReader.Target(
                    folder.path(), () -> NAME, WriterOptions.DEFAULTS, MEMTABLE_BYTES, Runnable::run);
            ChannelInput in = new ChannelInput(channel(stream.toBytes().toArray()), BUFFER_BYTES);
            new MemtableReader(in, nowhere(), TokenRanges.FULL, target).receive();
        } catch (FileSystemException noDirectoryToSync) {
            MemoryFiles.requireNoDirectory(noDirectoryToSync);
        }
    }

    private static ReadableByteChannel channel(byte[] input) {
        return Channels.newChannel(new ByteArrayInputStream(input));
    }

    private static WritableByteChannel nowhere() {
        return Channels.newChannel(ByteArrayOutputStream.nullOutputStream());
    }
}
