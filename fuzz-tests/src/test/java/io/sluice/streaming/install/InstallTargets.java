package io.sluice.streaming.install;

import io.sluice.fuzz.Pieces;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import java.util.zip.CRC32;

/** The files of staging. The first byte says whether their checksums are made right. Stateless. */
public final class InstallTargets {
    private static final UUID ID = new UUID(0x1234567812344321L, 0x8765432187654321L);

    private InstallTargets() {}

    /** The commit file, or its copy. */
    public static void commitFile(byte[] input) throws IOException {
        try {
            commitFile("sluice-commit 3\n", input);
        } catch (UnreadableLineException refused) {
            if (refused.line() < 1) {
                throw new AssertionError("no line", refused);
            }
        }
        commitFile("sluice-commit 1\n", input);
    }

    private static void commitFile(String firstLine, byte[] input) throws IOException {
        CommitFile file = CommitFile.decode(sealed(firstLine, input));
        if (!CommitFile.decode(file.encode()).equals(file)) {
            throw new AssertionError("written and read again it is another commit file");
        }
    }

    /** What names the commit file from another volume. */
    public static void commitPart(byte[] input) throws IOException {
        CommitPart part = CommitPart.decode(sealed("sluice-commit-part 1\n", input));
        if (!CommitPart.decode(part.encode()).equals(part)) {
            throw new AssertionError("written and read again it is another part");
        }
    }

    /** The id of a volume. */
    public static void volumeId(byte[] input) throws IOException {
        VolumeId.decode(sealed("sluice-volume 1\n", input));
    }

    /** The epochs. */
    public static void epochs(byte[] input) throws IOException {
        Epochs.decode(sealed("sluice-epochs 1\n", input));
    }

    /** The plans that are complete. */
    public static void completePlans(byte[] input) throws IOException {
        String firstLine = "sluice-complete-plans 3 " + ID;
        Pieces pieces = new Pieces(input);
        boolean isSealed = pieces.number() % 2 == 1;
        StringBuilder text = new StringBuilder(firstLine + "\n");
        StringBuilder plan = new StringBuilder();
        for (String line :
                new String(pieces.rest(), StandardCharsets.UTF_8).lines().toList()) {
            if (line.startsWith("plan ")) {
                text.append(sealed(plan, isSealed));
                plan.setLength(0);
            }
            plan.append(line).append('\n');
        }
        text.append(sealed(plan, isSealed));
        byte[] bytes = text.toString().getBytes(StandardCharsets.UTF_8);
        CompletePlans.Contents contents = CompletePlans.decode(bytes, firstLine);
        if (contents.end().isPresent()) {
            throw contents.end().get();
        }
    }

    private static String sealed(StringBuilder plan, boolean isSealed) {
        return !isSealed || plan.isEmpty()
                ? plan.toString()
                : new String(SealedText.seal(plan.toString()), StandardCharsets.UTF_8);
    }

    /** The journal: each line has a checksum of its own. */
    public static void journal(byte[] input) throws IOException {
        Pieces pieces = new Pieces(input);
        boolean isSealed = pieces.number() % 2 == 1;
        String text = new String(pieces.rest(), StandardCharsets.UTF_8);
        StringBuilder lines = new StringBuilder(line("sluice-journal-1 " + ID));
        text.lines().forEach(line -> lines.append(isSealed ? line(line) : line + "\n"));
        Journal.Contents contents = Journal.decode(lines.toString().getBytes(StandardCharsets.UTF_8), ID);
        if (contents.end().isPresent()) {
            throw contents.end().get();
        }
    }

    private static byte[] sealed(String firstLine, byte[] input) {
        Pieces pieces = new Pieces(input);
        boolean isSealed = pieces.number() % 2 == 1;
        byte[] rest = pieces.rest();
        if (!isSealed) {
            return rest;
        }
        String text = firstLine + new String(rest, StandardCharsets.UTF_8);
        return (text + "crc32 " + crc(text) + "\n").getBytes(StandardCharsets.UTF_8);
    }

    private static String line(String words) {
        return words + " " + crc(words) + "\n";
    }

    private static String crc(String text) {
        CRC32 crc = new CRC32();
        crc.update(text.getBytes(StandardCharsets.UTF_8));
        return String.format("%08x", crc.getValue());
    }
}
