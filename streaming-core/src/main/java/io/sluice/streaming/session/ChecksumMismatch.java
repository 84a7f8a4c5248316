package io.sluice.streaming.session;

import io.sluice.streaming.ErrorCode;
import java.util.List;
import java.util.Locale;

/** A received file whose checksum differs from its manifest: what caused it, and what to do. Stateless. */
final class ChecksumMismatch {
    static final int MAX_ATTEMPTS = 3;

    private ChecksumMismatch() {}

    /** What to do, once the source has reported the checksums that it reads now. */
    sealed interface Resolution {
        /** These extents differ from what the source reads: fetch them again. */
        record FetchAgain(List<Integer> extents, String why) implements Resolution {}

        /** The file cannot be fetched from this source. */
        record Unrecoverable(Failure why) implements Resolution {}
    }

    /**
     * Finds the cause: the source, if the checksum that it reads now differs from its manifest; otherwise the network
     * or this node.
     */
    static Resolution resolve(ReceivedExtents.Outcome.Damaged damaged) {
        FileExtents file = damaged.file();
        if (file.checksumAtSource() != file.expectedChecksum()) {
            return new Resolution.Unrecoverable(new Failure(
                    ErrorCode.CORRUPT_AT_SOURCE,
                    describe(damaged)
                            + String.format(
                                    ", and the source reads %08x: the file is corrupt at the source; verify it there, and repair the"
                                            + " table",
                                    file.checksumAtSource())));
        }
        List<Integer> differing = file.differing();
        String where = describe(damaged) + ", corrupted in transit at " + file.offsets(differing);
        if (file.mismatches() == MAX_ATTEMPTS) {
            return new Resolution.Unrecoverable(new Failure(
                    ErrorCode.CORRUPT_IN_FLIGHT,
                    where + ": the network or the memory of a node corrupts data; check both"));
        }
        return new Resolution.FetchAgain(differing, where + "; fetching again");
    }

    static String describe(ReceivedExtents.Outcome.Damaged damaged) {
        FileExtents file = damaged.file();
        return String.format(
                Locale.ROOT,
                "%s: CRC-32 of the received file is %08x (expected: %08x by its manifest), attempt %d of %d",
                damaged.offer().source().fileName(file.component()),
                file.checksum(),
                file.expectedChecksum(),
                file.mismatches(),
                MAX_ATTEMPTS);
    }
}
