package io.sluice.harness.audit;

import io.sluice.sstable.merge.ContentDigest;
import java.io.BufferedOutputStream;
import java.io.Closeable;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Writes down what was written: one sorted part of a ledger. Not thread-safe; closed by who opened it. */
public final class LedgerWriter implements Closeable {
    static final byte[] MAGIC = "SluiceA1".getBytes(StandardCharsets.US_ASCII);
    static final String PART = "partitions-";
    static final String FILES = "files.tsv";
    private static final int BUFFER_BYTES = 1 << 18;

    private final Path ledger;
    private final DataOutputStream out;
    private boolean isEmptyFile = true;
    private long fileFirst;
    private long fileLast;

    private LedgerWriter(Path ledger, DataOutputStream out) {
        this.ledger = ledger;
        this.out = out;
    }

    /** Begins part {@code number} of the ledger in this folder, which is made. */
    public static LedgerWriter create(Path ledger, int number) throws IOException {
        Files.createDirectories(ledger);
        DataOutputStream out = new DataOutputStream(
                new BufferedOutputStream(Files.newOutputStream(ledger.resolve(PART + number + ".bin")), BUFFER_BYTES));
        out.write(MAGIC);
        return new LedgerWriter(ledger, out);
    }

    /**
     * Adds a partition; they come by token, then by key.
     *
     * @param content {@link ContentDigest#EMPTY} if it was deleted
     */
    public void add(byte[] key, ContentDigest content) throws IOException {
        out.writeShort(key.length);
        out.write(key);
        out.writeLong(content.high());
        out.writeLong(content.low());
        long token = KeyToken.of(key);
        fileFirst = isEmptyFile ? token : fileFirst;
        fileLast = token;
        isEmptyFile = false;
    }

    /** All partitions added since the last call, and no other, lie in this Data.db, which is complete. */
    public void endFile(Path dataFile) throws IOException {
        if (!isEmptyFile) {
            String line = FileHashes.sha256(dataFile) + "\t" + fileFirst + "\t" + fileLast + "\t"
                    + dataFile.getFileName() + "\n";
            Files.writeString(ledger.resolve(FILES), line, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
            isEmptyFile = true;
        }
    }

    /** The partitions added since the last call lie in several files. */
    void skipFile() {
        isEmptyFile = true;
    }

    @Override
    public void close() throws IOException {
        out.close();
    }
}
