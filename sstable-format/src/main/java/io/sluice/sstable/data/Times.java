package io.sluice.sstable.data;

import io.sluice.sstable.component.Version;
import io.sluice.sstable.encoding.GrowingBuffer;
import io.sluice.sstable.encoding.VInts;
import java.nio.ByteBuffer;

/** How one SSTable writes times: relative to its base in rows, in full in deletions of partitions. Immutable. */
final class Times {
    private static final int NB_NEVER = Integer.MAX_VALUE;
    private static final int OA_NEVER = -1;
    private static final int OA_LIVE = 0x80;

    private final SerializationHeader.Base base;
    private final boolean isUnsigned;

    Times(Version version, SerializationHeader.Base base) {
        this.base = base;
        this.isUnsigned = version.isFiveZero();
    }

    long readTimestamp(ByteBuffer in) {
        return VInts.readUnsigned(in) + base.timestamp();
    }

    long readLocalDeletionTime(ByteBuffer in) {
        return fromInt((int) VInts.readUnsigned(in) + base.localDeletionTime());
    }

    int readTtl(ByteBuffer in) {
        return (int) VInts.readUnsigned(in) + base.ttl();
    }

    DeletionTime readDeletion(ByteBuffer in) {
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

    /** Bytes of a full deletion that begins with {@code first}. */
    int lengthOfFullDeletion(byte first) {
        return isUnsigned && (first & 0xff) == OA_LIVE ? 1 : Long.BYTES + Integer.BYTES;
    }

    /** Reads the deletion of a partition, which has {@link #lengthOfFullDeletion} bytes. */
    DeletionTime readFullDeletion(ByteBuffer in) throws MalformedException {
        if (!isUnsigned) {
            int seconds = in.getInt();
            long timestamp = in.getLong();
            return timestamp == Long.MIN_VALUE ? DeletionTime.LIVE : new DeletionTime(timestamp, fromInt(seconds));
        }
        byte first = in.get(in.position());
        if ((first & 0xff) == OA_LIVE) {
            in.get();
            return DeletionTime.LIVE;
        }
        if (first < 0) {
            throw new MalformedException(
                    "first byte of a deletion: " + (first & 0xff) + " (expected: 128 or less than 128)");
        }
        long timestamp = in.getLong();
        return new DeletionTime(timestamp, fromInt(in.getInt()));
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
        return seconds == NB_NEVER ? DeletionTime.NEVER : seconds;
    }

    private int toInt(long seconds) {
        if (seconds == DeletionTime.NEVER) {
            return isUnsigned ? OA_NEVER : NB_NEVER;
        }
        // nb ends in 2038: what expires or was deleted later is written as the last second that it knows.
        return isUnsigned ? (int) seconds : (int) Math.min(seconds, NB_NEVER - 1);
    }
}
