package io.sluice.harness.load;

import io.sluice.harness.audit.LedgerWriter;
import io.sluice.harness.load.LoadTable.Write;
import io.sluice.harness.store.Mutation;
import io.sluice.sstable.data.ContentDigest;
import io.sluice.sstable.data.Partition;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;

/** Makes the ledger of the audit from the file of acknowledged writes: of each key its last write. Stateless. */
public final class LoadLedger {
    private LoadLedger() {}

    /**
     * Writes it; keys that were deleted last are not in it, so nothing may be alive of them.
     *
     * @param acknowledged of a generator that was stopped: each write that it sent
     */
    public static void write(Path acknowledged, Path ledger) throws IOException {
        List<Write> last = Acknowledged.read(acknowledged).values().stream()
                .filter(write -> write.value().isPresent())
                .sorted(Comparator.comparing(Write::partitionKey))
                .toList();
        ContentDigest.Hasher hasher = new ContentDigest.Hasher();
        try (LedgerWriter writer = LedgerWriter.create(ledger, 0)) {
            for (Write write : last) {
                Mutation mutation = write.toMutation();
                writer.add(
                        mutation.key().bytes().toArray(),
                        hasher.hash(Partition.of(mutation.header(), mutation.items())));
            }
        }
    }
}
