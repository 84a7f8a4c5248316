package io.sluice.harness.audit;

import io.sluice.harness.report.Step;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.atomic.LongAdder;

/**
 * How far an audit is: files are hashed first, then partitions of the ledger are looked for at each node. How many
 * those are follows from the length of the ledger and of the entries read so far. Thread-safe.
 */
public final class AuditProgress {
    private final long entriesBytes;
    private final LongAdder hashedBytes = new LongAdder();
    private final LongAdder partitions = new LongAdder();
    private final LongAdder readBytes = new LongAdder();

    private AuditProgress(long entriesBytes) {
        this.entriesBytes = entriesBytes;
    }

    /** Of an audit that has not begun. */
    public static AuditProgress of(AuditOrder order) throws IOException {
        long bytes = 0;
        for (AuditOrder.Table table : order.tables()) {
            bytes += Ledger.open(Path.of(table.ledger())).entriesBytes();
        }
        return new AuditProgress(bytes * order.nodes().size());
    }

    /** So much more was hashed. */
    void hashed(long bytes) {
        hashedBytes.add(bytes);
    }

    /** So many more entries, of so many bytes in the ledger, were compared with what a node holds. */
    void compared(long entries, long bytes) {
        partitions.add(entries);
        readBytes.add(bytes);
    }

    /** How far it is now. */
    public Step step() {
        long compared = partitions.sum();
        long read = readBytes.sum();
        return compared == 0 || read == 0
                ? Step.ofBytes("hashing files", hashedBytes.sum(), 0)
                : new Step(
                        "comparing with what was written",
                        compared,
                        Math.round((double) compared * entriesBytes / read),
                        "partitions");
    }
}
