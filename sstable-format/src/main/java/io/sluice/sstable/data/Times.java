package io.sluice.sstable.data;

import io.sluice.sstable.component.Version;
import io.sluice.sstable.encoding.GrowingBuffer;
import io.sluice.sstable.encoding.ItemWindow;
import java.io.IOException;

/** Encodes the times of one SSTable: relative to its base in rows, absolute in partition deletions. Immutable. */
final class Times {
    private static final int NB_NEVER = Integer.MAX_VALUE;
    private static final int OA_NEVER = -1;
    private static final int OA_LIVE = 0x80;

    /** The last second that 5.0 can express. */
    private static final long LATEST = 0xffff_fffeL;

    private final SerializationHeader.Base base;
    private final boolean isUnsigned;

    Times(Version version, SerializationHeader.Base base) {
        this.base = base;
        this.isUnsigned = version.hasUnsignedDeletionTimes();
    }

    long readTimestamp(ItemWindow in) throws IOException {
        return in.readUnsignedVInt() + base.timestamp();
    }

    long readLocalDeletionTime(ItemWindow in) throws IOException {
        return fromInt((int) in.readUnsignedVInt() + base.localDeletionTime());
    }

    int readTtl(ItemWindow in) throws IOException {
        return (int) in.readUnsignedVInt() + base.ttl();
    }

    DeletionTime readDeletion(ItemWindow in) throws IOException {
        long timestamp = readTimestamp(in);
        long localDeletionTime = readLocalDeletionTime(in);
        return timestamp == Long.MIN_VALUE ? DeletionTime.LIVE : new DeletionTime(timestamp, localDeletionTime);
    }

    void writeTimestamp(long timestamp, GrowingBuffer out) {
        out.putUnsignedVInt(timestamp - base.timestamp());
    }

    void writeLocalDeletionTime(long seconds, GrowingBuffer out) {
        out.putUnsignedVInt(toInt(seconds) - base.localDeletionTime());
    }

    void writeTtl(int ttl, GrowingBuffer out) {
        out.putUnsignedVInt(ttl - base.ttl());
    }

    void writeDeletion(DeletionTime deletion, GrowingBuffer out) {
        writeTimestamp(deletion.timestamp(), out);
        writeLocalDeletionTime(deletion.localDeletionTime(), out);
    }

    /** Reads the deletion of a partition. */
    DeletionTime readFullDeletion(ItemWindow in) throws IOException {
        if (!isUnsigned) {
            int seconds = in.readInt();
            long timestamp = in.readLong();
            return timestamp == Long.MIN_VALUE ? DeletionTime.LIVE : new DeletionTime(timestamp, fromInt(seconds));
        }
        if (in.peekByte() == OA_LIVE) {
            in.readByte();
            return DeletionTime.LIVE;
        }
        in.require("first byte of a deletion, if not 128", in.peekByte(), OA_LIVE - 1);
        long timestamp = in.readLong();
        return new DeletionTime(timestamp, fromInt(in.readInt()));
    }

    void writeFullDeletion(DeletionTime deletion, GrowingBuffer out) {
        if (!isUnsigned) {
            out.putInt(toInt(deletion.localDeletionTime())).putLong(deletion.timestamp());
        } else if (deletion.isLive()) {
            out.putByte(OA_LIVE);
        } else if (deletion.timestamp() < 0) {
            throw new IllegalArgumentException(
                    "timestamp of a partition deletion: " + deletion.timestamp() + " (expected: not negative)");
        } else {
            out.putLong(deletion.timestamp()).putInt(toInt(deletion.localDeletionTime()));
        }
    }

    private long fromInt(int seconds) {
        if (isUnsigned) {
            return seconds == OA_NEVER ? DeletionTime.NEVER : seconds & 0xffffffffL;
        }
        if (seconds < 0) {
            return LATEST; // past 2038, written by a release with signed seconds: Cassandra 5.0 decodes it in the same
            // way
        }
        return seconds == NB_NEVER ? DeletionTime.NEVER : seconds;
    }

    private int toInt(long seconds) {
        if (seconds == DeletionTime.NEVER) {
            return isUnsigned ? OA_NEVER : NB_NEVER;
        }
        // nb ends in 2038: later times are written as its last second.
        return isUnsigned ? (int) seconds : (int) Math.min(seconds, NB_NEVER - 1);
    }
}
