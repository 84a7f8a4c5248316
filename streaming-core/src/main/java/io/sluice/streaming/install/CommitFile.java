package io.sluice.streaming.install;

import io.sluice.sstable.component.Descriptor;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The decision to install a set: once it is durable the set must become live; before that the install has no effect.
 * Layout: the package's description. Immutable.
 *
 * @param indexes that the database must build
 */
record CommitFile(
        UUID installId, UUID tableId, List<Descriptor> sstables, List<StagedFile> files, SortedSet<String> indexes) {
    /** Its name in the directory of the set. */
    static final String NAME = "commit";

    /** A copy, written before the commit file: one bad sector must not lose the decision. */
    static final String COPY_NAME = "commit-copy";

    static final int MAX_LENGTH_BYTES = 64 << 20;

    private static final String FIRST_LINE = "sluice-commit 1";

    /** For a set on several volumes. */
    private static final String FIRST_LINE_OF_SEVERAL = "sluice-commit 2";

    /** Of both, with checksums. */
    private static final String FIRST_LINE_WITH_CHECKSUMS = "sluice-commit 3";

    private static final int CRC32_DIGITS = 8;

    /**
     * One file of the set, by its name in staging and in the live folder alike.
     *
     * @param volumeId the volume of the file; empty if it is the volume of the commit file
     * @param crc32 of its content, 0 to 2^32 - 1; empty if it is not known
     */
    record StagedFile(String name, long lengthBytes, Optional<UUID> volumeId, OptionalLong crc32) {
        /** A file on the volume of the commit file, without checksum. */
        StagedFile(String name, long lengthBytes) {
            this(name, lengthBytes, Optional.empty(), OptionalLong.empty());
        }
    }

    CommitFile {
        sstables = List.copyOf(sstables);
        files = List.copyOf(files);
        indexes = Collections.unmodifiableSortedSet(new TreeSet<>(indexes));
    }

    /** A commit file without indexes to build. */
    CommitFile(UUID installId, UUID tableId, List<Descriptor> sstables, List<StagedFile> files) {
        this(installId, tableId, sstables, files, new TreeSet<>());
    }

    /** The other volumes with files of the set. */
    Set<UUID> otherVolumes() {
        Set<UUID> others = new LinkedHashSet<>();
        files.forEach(file -> file.volumeId().ifPresent(others::add));
        return others;
    }

    /** @throws StreamException of code {@link ErrorCode#LIMIT} if the next start could not read so much */
    byte[] encode() {
        Set<UUID> others = otherVolumes();
        boolean hasChecksums = files.stream().anyMatch(file -> file.crc32().isPresent());
        String firstLine = others.isEmpty() ? FIRST_LINE : FIRST_LINE_OF_SEVERAL;
        StringBuilder text = new StringBuilder(hasChecksums ? FIRST_LINE_WITH_CHECKSUMS : firstLine).append('\n');
        text.append("install ").append(installId).append('\n');
        text.append("table ").append(tableId).append('\n');
        sstables.forEach(sstable -> line(text, "sstable " + sstable));
        indexes.forEach(index -> line(text, "index " + index));
        write(text, Optional.empty());
        for (UUID other : others) {
            line(text, "volume " + other);
            write(text, Optional.of(other));
        }
        return SealedText.seal(text.toString());
    }

    private void write(StringBuilder text, Optional<UUID> volumeId) {
        files.stream()
                .filter(file -> file.volumeId().equals(volumeId))
                .forEach(file -> line(text, "file " + file.lengthBytes() + " " + file.name() + checksum(file)));
    }

    private static String checksum(StagedFile file) {
        return file.crc32().isEmpty()
                ? ""
                : " " + HexFormat.of().toHexDigits(file.crc32().getAsLong(), CRC32_DIGITS);
    }

    /** All of it is ASCII: a character is a byte. */
    private void line(StringBuilder text, String line) {
        text.append(line).append('\n');
        if (text.length() > MAX_LENGTH_BYTES - SealedText.SEAL_BYTES) {
            throw new StreamException(
                    ErrorCode.LIMIT,
                    "install " + installId + " of table " + tableId + ": " + files.size()
                            + " files, whose list would be longer than " + MAX_LENGTH_BYTES
                            + " bytes, and could not be read again; nothing was committed (stream fewer ranges at"
                            + " once)");
        }
    }

    /**
     * Decodes a commit file.
     *
     * @throws UnreadableLineException if they are not a complete commit file with a correct checksum, or were written
     *     by another version: then the copy, or an operator, must decide
     */
    static CommitFile decode(byte[] bytes) throws UnreadableLineException {
        String firstLine = Stream.of(FIRST_LINE_OF_SEVERAL, FIRST_LINE_WITH_CHECKSUMS)
                .filter(line -> beginsWith(bytes, line))
                .findFirst()
                .orElse(FIRST_LINE);
        Lines lines = new Lines(!firstLine.equals(FIRST_LINE), firstLine.equals(FIRST_LINE_WITH_CHECKSUMS));
        int number = 1;
        for (String line : SealedText.open(bytes, firstLine)) {
            lines.take(++number, line);
        }
        if (lines.install == null || lines.table == null) {
            throw new UnreadableLineException(number + 1, "crc32", "lines 'install' and 'table' before it");
        }
        return new CommitFile(lines.install, lines.table, lines.sstables, lines.files, lines.indexes);
    }

    private static boolean beginsWith(byte[] bytes, String firstLine) {
        byte[] first = (firstLine + "\n").getBytes(StandardCharsets.UTF_8);
        return bytes.length > first.length && Arrays.equals(bytes, 0, first.length, first, 0, first.length);
    }

    /** The fields of the lines so far. Confined to one call. */
    private static final class Lines {
        private final List<Descriptor> sstables = new ArrayList<>();
        private final List<StagedFile> files = new ArrayList<>();
        private final SortedSet<String> indexes = new TreeSet<>();
        private final boolean isOfSeveral;
        private final boolean hasChecksums;
        private Optional<UUID> volume = Optional.empty();
        private @Nullable UUID install;
        private @Nullable UUID table;

        Lines(boolean isOfSeveral, boolean hasChecksums) {
            this.isOfSeveral = isOfSeveral;
            this.hasChecksums = hasChecksums;
        }

        void take(int number, String line) throws UnreadableLineException {
            String[] words = line.split(" ", hasChecksums ? 4 : 3);
            try {
                switch (words[0]) {
                    case "install" -> install = UUID.fromString(words[1]);
                    case "table" -> table = UUID.fromString(words[1]);
                    case "sstable" -> sstables.add(SSTableFingerprint.descriptor(words[1]));
                    case "index" -> indexes.add(words[1]);
                    case "file" ->
                        files.add(new StagedFile(
                                component(words[2]),
                                length(words[1]),
                                volume,
                                words.length < 4 ? OptionalLong.empty() : OptionalLong.of(crc32(words[3]))));
                    case "volume" -> volume = Optional.of(UUID.fromString(ofSeveral(words[1])));
                    default -> throw new IllegalArgumentException("unknown to this version");
                }
            } catch (IllegalArgumentException | IndexOutOfBoundsException | IOException malformed) {
                throw new UnreadableLineException(number, line, malformed);
            }
        }

        private String ofSeveral(String id) {
            if (!isOfSeveral) {
                throw new IllegalArgumentException("unknown to this version");
            }
            return id;
        }

        /** Accepts component names only: any other name could refer to a file elsewhere. */
        private static String component(String name) {
            if (Descriptor.ofFile(name).isEmpty()) {
                throw new IllegalArgumentException("file '" + name + "' (expected: a component's)");
            }
            return name;
        }

        private static long crc32(String digits) {
            long crc32 = Long.parseLong(digits, 16);
            if (crc32 >>> Integer.SIZE != 0) {
                throw new IllegalArgumentException("checksum: " + digits + " (expected: 0 to 2^32 - 1)");
            }
            return crc32;
        }

        private static long length(String number) {
            long length = Long.parseLong(number);
            if (length < 0) {
                throw new IllegalArgumentException("length: " + length + " (expected: at least 0)");
            }
            return length;
        }
    }
}
