package io.sluice.bench.mutation;

import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import java.io.IOException;
import java.nio.BufferUnderflowException;

/** How both ends of a stream of rows end it if something fails. Stateless. */
final class RowStream {
    private RowStream() {}

    /** What is done with a stream. */
    interface Work<T> {
        T run() throws IOException;
    }

    /** Runs {@code work}; if it fails, notifies the peer why, unless the peer is who said so or is gone. */
    static <T> T orFailPeer(FrameOutput out, ErrorCode codeOfBadInput, Work<T> work) throws IOException {
        try {
            return work.run();
        } catch (StreamException failed) {
            send(out, failed, failed);
            throw failed;
        } catch (BufferUnderflowException truncated) {
            throw failed(out, codeOfBadInput, "a row ends within its last field (expected: more bytes)", truncated);
        } catch (IllegalArgumentException malformed) {
            throw failed(out, codeOfBadInput, String.valueOf(malformed.getMessage()), malformed);
        } catch (IOException failed) {
            ErrorCode code = failed instanceof io.sluice.sstable.component.SSTableException
                    ? ErrorCode.CORRUPT_AT_SOURCE
                    : ErrorCode.DISK;
            send(out, new StreamException(code, String.valueOf(failed.getMessage())), failed);
            throw failed;
        }
    }

    private static StreamException failed(FrameOutput out, ErrorCode code, String problem, Exception cause) {
        StreamException failed = new StreamException(code, "rows that cannot be read: " + problem, cause);
        send(out, failed, failed);
        return failed;
    }

    private static void send(FrameOutput out, StreamException reason, Exception failure) {
        try {
            out.fail(reason);
        } catch (IOException gone) {
            failure.addSuppressed(gone);
        }
    }
}
