package io.sluice.streaming.transfer.mutation;

import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import java.io.IOException;

/** How both ends of a stream of rows end it if something fails. Stateless. */
final class RowStream {
    private RowStream() {}

    /** What is done with a stream. */
    interface Work<T> {
        T run() throws IOException;
    }

    /** Runs {@code work}; if it fails, tells the peer why, unless the peer is who said so or is gone. */
    static <T> T orTellPeer(FrameOutput out, ErrorCode codeOfBadInput, Work<T> work) throws IOException {
        try {
            return work.run();
        } catch (StreamException failed) {
            tell(out, failed, failed);
            throw failed;
        } catch (IllegalArgumentException | java.nio.BufferUnderflowException malformed) {
            StreamException failed = new StreamException(
                    codeOfBadInput, "rows that cannot be read: " + malformed.getMessage(), malformed);
            tell(out, failed, failed);
            throw failed;
        } catch (IOException failed) {
            ErrorCode code = failed instanceof io.sluice.sstable.component.SSTableException
                    ? ErrorCode.CORRUPT_AT_SOURCE
                    : ErrorCode.DISK;
            tell(out, new StreamException(code, String.valueOf(failed.getMessage())), failed);
            throw failed;
        }
    }

    private static void tell(FrameOutput out, StreamException reason, Exception failure) {
        try {
            out.fail(reason);
        } catch (IOException gone) {
            failure.addSuppressed(gone);
        }
    }
}
