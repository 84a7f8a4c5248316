package io.sluice.streaming.install;

import java.util.List;
import java.util.UUID;

/**
 * What lies beside the files of a set that are not on the volume of its commit file: which install they are of, and
 * where that was decided, or was to be. Layout: the package's description. Immutable.
 *
 * @param volumeId of the commit file
 */
record CommitPart(UUID installId, UUID volumeId) {
    /** Its name in the folder of the set. */
    static final String NAME = "commit-part";

    static final int MAX_LENGTH_BYTES = 4_096;

    private static final String FIRST_LINE = "sluice-commit-part 1";

    byte[] encode() {
        return SealedText.seal(FIRST_LINE + "\ninstall " + installId + "\nvolume " + volumeId + "\n");
    }

    /** @throws UnreadableLineException if the bytes are not one whole, undamaged note, or not of this version */
    static CommitPart decode(byte[] bytes) throws UnreadableLineException {
        List<String> lines = SealedText.open(bytes, FIRST_LINE);
        try {
            if (lines.size() == 2
                    && lines.get(0).startsWith("install ")
                    && lines.get(1).startsWith("volume ")) {
                return new CommitPart(id(lines.get(0)), id(lines.get(1)));
            }
        } catch (IllegalArgumentException malformed) {
            throw new UnreadableLineException(2, String.join(" ", lines), malformed);
        }
        throw new UnreadableLineException(2, String.join(" ", lines), "lines 'install' and 'volume'");
    }

    private static UUID id(String line) {
        return UUID.fromString(line.substring(line.indexOf(' ') + 1));
    }
}
