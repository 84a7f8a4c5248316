package io.sluice.bench.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.harness.load.LoadTable;
import io.sluice.harness.store.LocalStore;
import io.sluice.harness.store.Mutation;
import io.sluice.harness.store.StoreOptions;
import io.sluice.harness.store.TableView;
import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.key.PartitionKey;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A client of a real store. */
class StoreClientTest {
    @TempDir
    private Path folder = Path.of("");

    @Test
    void reads_what_is_there_and_writes_rows_each_when_it_is_due() throws Exception {
        LoadTable read = LoadTable.named("read", new UUID(1, 1));
        AtomicInteger told = new AtomicInteger();
        try (LocalStore store = LocalStore.open(folder, StoreOptions.DEFAULTS)) {
            store.load();
            store.createTable(read.ref(), read.cql());
            Mutation row = new LoadTable.Write("only", 1, "here").toMutation();
            store.write(read.ref().id(), List.of(row));
            try (StoreClient client = new StoreClient(store, read.ref().id(), LoadTable.DEFAULT)) {
                StoreClient.Seen seen = client.run(1, nanos -> told.incrementAndGet());

                assertThat(seen.reads()).hasSize(100).hasSize(told.get());
                assertThat(seen.writes()).hasSize(100);
                assertThat(seen.reads().get(99).due()).isEqualTo(990_000);
                assertThat(seen.reads()).allMatch(request -> request.took() >= 0);
            }
            try (TableView view = store.view(LoadTable.DEFAULT.ref().id())) {
                assertThat(view.read(List.of(PartitionKey.of(Bytes.utf8("key99")))))
                        .hasSize(1);
                assertThat(view.read(List.of(PartitionKey.of(Bytes.utf8("key100")))))
                        .isEmpty();
            }
        }
    }
}
