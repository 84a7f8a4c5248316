package io.sluice.harness.store;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;

/** Writes without end, and prints the number of each write that was acknowledged; to be killed. */
final class WriterProcess {
    static final int THREADS = 4;

    private WriterProcess() {}

    public static void main(String[] args) throws IOException {
        // Flushes and compactions every few milliseconds, so that some are hit.
        var options = new StoreOptions(SyncPolicy.valueOf(args[1]), 20_000, new SizeTiered());
        LocalStore store = LocalStore.open(Path.of(args[0]), options);
        store.load();
        store.createTable(Tables.PLAIN, Tables.PLAIN_CQL);
        long first = Long.parseLong(args[2]);
        IntStream.range(0, THREADS).forEach(thread -> new Thread(() -> write(store, first + thread)).start());
    }

    private static void write(LocalStore store, long first) {
        try {
            for (long number = first; ; number += THREADS) {
                store.write(Tables.PLAIN.id(), List.of(Tables.insert("k" + number, number, "v" + number)));
                System.out.println(number);
            }
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
