package io.sluice.harness.content;

import io.sluice.sstable.SSTable;
import io.sluice.sstable.index.Section;
import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;

/**
 * A fingerprint of the bytes in which SSTables store a token range. Equal fingerprints mean equal rows: whole files and
 * slices keep each partition unchanged. Different fingerprints mean nothing: the same rows may have been merged or
 * rewritten. It hashes the checksums with which the bytes were written, so that one end, which reads all bytes and
 * verifies them against these, proves that they are what the other end has recorded. Decodes no row. It finds what was
 * lost or damaged with a probability of an error of 2^-32 for each run of uncompressed partitions, and each chunk of
 * compressed ones; it does not prove who wrote it. Immutable.
 *
 * @param hex of SHA-256, over the hashes, in ascending order, of each run of partitions ({@link StoredRun}); a run is
 *     hashed with the format version and the serialization header of its bytes
 */
public record StoredDigest(String hex) {
    /**
     * Reads a range, and verifies every checksum.
     *
     * @throws IOException if a file cannot be read, or a checksum does not match
     */
    public static StoredDigest of(Collection<SSTable> sstables, TokenRange range) throws IOException {
        return StoredRuns.digests(List.of(StoredRuns.verified(sstables, List.of(range))), List.of(range))
                .get(0);
    }

    /** The runs of one SSTable in a range. */
    static List<StoredRun> runs(SSTable sstable, TokenRange range) throws IOException {
        List<StoredRun> runs = new ArrayList<>();
        for (TokenRange part : TokenRanges.of(range).ranges()) {
            TokenRanges only = TokenRanges.of(part);
            for (Section run : sstable.sections(only)) {
                List<Section> content = PaddedRun.content(sstable, part, run);
                if (!content.isEmpty()) {
                    runs.add(new StoredRun(sstable, content));
                }
            }
        }
        return runs;
    }

    /** Of the runs of all SSTables in a range, in any order. */
    static StoredDigest ofRuns(List<String> runs) {
        return ofDigests(runs.stream().sorted().toList());
    }

    /** One for several, in their order. */
    public static StoredDigest ofDigests(List<String> digests) {
        MessageDigest all = sha256();
        digests.forEach(digest -> all.update(digest.getBytes(StandardCharsets.US_ASCII)));
        return new StoredDigest(HexFormat.of().formatHex(all.digest()));
    }

    static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException impossible) {
            throw new AssertionError("every Java platform has SHA-256", impossible);
        }
    }
}
