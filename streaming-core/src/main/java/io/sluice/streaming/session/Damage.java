package io.sluice.streaming.session;

import io.sluice.streaming.ErrorCode;
import java.util.List;

/** A received file with another checksum than its manifest says: who did it, in words, and what to do. Stateless. */
final class Damage {
    static final int MAX_TIMES = 3;

    private Damage() {}

    /** What to do when the source has said what it reads now. */
    sealed interface Verdict {
        /** These extents differ from what the source reads: fetch them again. */
        record Again(List<Integer> extents, String why) implements Verdict {}

        /** The file cannot be had from this source. */
        record Hopeless(Failure why) implements Verdict {}
    }

    /**
     * Who has damaged it: the source, if it reads another checksum now than it promised; else the way, or this node.
     */
    static Verdict judge(Arrivals.Outcome.Damaged damaged) {
        ArrivingFile file = damaged.file();
        if (file.checksumAtSource() != file.expectedChecksum()) {
            return new Verdict.Hopeless(new Failure(
                    ErrorCode.CORRUPT_AT_SOURCE,
                    describe(damaged)
                            + String.format(
                                    ", and the source reads %08x: the file is damaged there; verify it, and repair the"
                                            + " table",
                                    file.checksumAtSource())));
        }
        List<Integer> differing = file.differing();
        String where = describe(damaged) + ", damaged on the way at " + file.offsets(differing);
        if (file.damages() == MAX_TIMES) {
            return new Verdict.Hopeless(new Failure(
                    ErrorCode.CORRUPT_IN_FLIGHT,
                    where + ": the network or the memory of a node damages data; check both"));
        }
        return new Verdict.Again(differing, where + "; fetched again");
    }

    static String describe(Arrivals.Outcome.Damaged damaged) {
        ArrivingFile file = damaged.file();
        return String.format(
                "%s: CRC-32 of the received file is %08x (expected: %08x by its manifest), attempt %d of %d",
                damaged.offer().source().fileName(file.component()),
                file.checksum(),
                file.expectedChecksum(),
                file.damages(),
                MAX_TIMES);
    }
}
