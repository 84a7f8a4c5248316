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

/** Builds the audit's ledger from the file of acknowledged writes: the last write of each key. Stateless. */
public final class LoadLedger {
    private LoadLedger() {}

    /**
     * Writes the ledger. A key that was deleted last is marked as deleted: it must not be alive at its replicas, but a
     * former replica may still have it.
     *
     * @param acknowledged file of a stopped generator, with every write that it sent
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
