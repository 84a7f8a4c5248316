package io.sluice.harness.load;

import io.sluice.harness.audit.LedgerWriter;
import io.sluice.harness.load.LoadTable.Write;
import io.sluice.harness.store.Mutation;
import io.sluice.sstable.data.Partition;
import io.sluice.sstable.merge.ContentDigest;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;

/** Makes the ledger of the audit from the file of acknowledged writes: of each key its last write. Stateless. */
public final class LoadLedger {
    private LoadLedger() {}

    /**
     * Writes it, keys that were deleted last as such: nothing may be alive of them where they belong, but who held them
     * before they were deleted, and does not now, may hold them still.
     *
     * @param acknowledged of a generator that was stopped: each write that it sent
     */
    public static void write(Path acknowledged, Path ledger) throws IOException {
        List<Write> last = Acknowledged.read(acknowledged).values().stream()
                .sorted(Comparator.comparing(Write::partitionKey))
                .toList();
        ContentDigest.Hasher hasher = new ContentDigest.Hasher();
        try (LedgerWriter writer = LedgerWriter.create(ledger, 0)) {
            for (Write write : last) {
                Mutation mutation = write.toMutation();
                boolean isDeletion = write.value().isEmpty();
                writer.add(
                        mutation.key().bytes().toArray(),
                        isDeletion
                                ? ContentDigest.EMPTY
                                : hasher.hash(Partition.of(mutation.header(), mutation.items())));
            }
        }
    }
}
