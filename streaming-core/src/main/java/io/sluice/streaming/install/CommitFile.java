package io.sluice.streaming.install;

import io.sluice.sstable.component.Descriptor;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.zip.CRC32;

/**
 * The record that a set shall be installed: once it is durable the set must become live, before that it never happened.
 * Layout: the package's description. Immutable.
 */
record CommitFile(UUID installId, UUID tableId, List<Descriptor> sstables, List<StagedFile> files) {
    /** Its name in the directory of the set. */
    static final String NAME = "commit";

    /** The same once more, written before: one bad sector must not decide. */
    static final String COPY_NAME = "commit-copy";

    static final int MAX_LENGTH_BYTES = 64 << 20;

    private static final String FIRST_LINE = "sluice-commit 1";

    /** One file of the set, by its name in staging and in the live folder alike. */
    record StagedFile(String name, long lengthBytes) {}

    CommitFile {
        sstables = List.copyOf(sstables);
        files = List.copyOf(files);
    }

    byte[] encode() {
        StringBuilder text = new StringBuilder(FIRST_LINE).append('\n');
        text.append("install ").append(installId).append('\n');
        text.append("table ").append(tableId).append('\n');
        sstables.forEach(sstable -> text.append("sstable ").append(sstable).append('\n'));
        files.forEach(file -> text.append("file ")
                .append(file.lengthBytes())
                .append(' ')
                .append(file.name())
                .append('\n'));
        text.append(String.format("crc32 %08x\n", crc32(text.toString())));
        return text.toString().getBytes(StandardCharsets.UTF_8);
    }

    /** The commit file of these bytes, or empty if they are not one whole, undamaged commit file. */
    static Optional<CommitFile> decode(byte[] bytes) throws IOException {
        String text = new String(bytes, StandardCharsets.UTF_8);
        int checksumLine = text.lastIndexOf("crc32 ");
        if (!text.startsWith(FIRST_LINE + "\n")
                || checksumLine < 0
                || !text.substring(checksumLine)
                        .equals(String.format("crc32 %08x\n", crc32(text.substring(0, checksumLine))))) {
            return Optional.empty();
        }
        UUID install = null;
        UUID table = null;
        List<Descriptor> sstables = new ArrayList<>();
        List<StagedFile> files = new ArrayList<>();
        for (String line :
                text.substring(FIRST_LINE.length() + 1, checksumLine).lines().toList()) {
            String[] words = line.split(" ", 3);
            switch (words[0]) {
                case "install" -> install = UUID.fromString(words[1]);
                case "table" -> table = UUID.fromString(words[1]);
                case "sstable" -> sstables.add(Content.descriptor(words[1]));
                case "file" -> files.add(new StagedFile(words[2], Long.parseLong(words[1])));
                default -> throw new IOException("commit file: unknown line '" + words[0] + "' under a valid checksum");
            }
        }
        return install == null || table == null
                ? Optional.empty()
                : Optional.of(new CommitFile(install, table, sstables, files));
    }

    private static long crc32(String text) {
        CRC32 crc = new CRC32();
        crc.update(text.getBytes(StandardCharsets.UTF_8));
        return crc.getValue();
    }
}
