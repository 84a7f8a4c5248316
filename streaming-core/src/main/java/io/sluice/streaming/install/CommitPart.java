package io.sluice.streaming.install;

import io.sluice.sstable.component.Descriptor;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The note beside files of a set that are not on the volume of its commit file: names the install, and the volume of
 * the commit file. Layout: the package's description. Immutable.
 *
 * @param volumeId of the commit file
 * @param files of the set on this volume, each TOC after the others of its SSTable
 */
record CommitPart(UUID installId, UUID volumeId, List<String> files) {
    /** Its name in the folder of the set. */
    static final String NAME = "commit-part";

    static final int MAX_LENGTH_BYTES = CommitFile.MAX_LENGTH_BYTES;

    private static final String FIRST_LINE = "sluice-commit-part 1";

    CommitPart {
        files = List.copyOf(files);
    }

    byte[] encode() {
        StringBuilder text = new StringBuilder(FIRST_LINE).append('\n');
        text.append("install ").append(installId).append('\n');
        text.append("volume ").append(volumeId).append('\n');
        files.forEach(file -> text.append("file ").append(file).append('\n'));
        return SealedText.seal(text.toString());
    }

    /**
     * @throws UnreadableLineException if the bytes are not a complete note with a correct checksum, or were written by
     *     another version
     */
    static CommitPart decode(byte[] bytes) throws UnreadableLineException {
        @Nullable UUID install = null;
        @Nullable UUID volume = null;
        List<String> files = new ArrayList<>();
        int number = 1;
        for (String line : SealedText.open(bytes, FIRST_LINE)) {
            number++;
            int blank = line.indexOf(' ');
            String rest = line.substring(blank + 1);
            try {
                switch (line.substring(0, Math.max(0, blank))) {
                    case "install" -> install = UUID.fromString(rest);
                    case "volume" -> volume = UUID.fromString(rest);
                    case "file" -> files.add(component(rest));
                    default -> throw new IllegalArgumentException("unknown to this version");
                }
            } catch (IllegalArgumentException malformed) {
                throw new UnreadableLineException(number, line, malformed);
            }
        }
        if (install == null || volume == null) {
            throw new UnreadableLineException(number + 1, "crc32", "lines 'install' and 'volume' before it");
        }
        return new CommitPart(install, volume, files);
    }

    /** Accepts component names only: any other name could refer to a file elsewhere. */
    private static String component(String name) {
        if (Descriptor.ofFile(name).isEmpty()) {
            throw new IllegalArgumentException("file '" + name + "' (expected: a component's)");
        }
        return name;
    }
}
