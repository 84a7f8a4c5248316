package tiny;

import static java.nio.file.StandardCopyOption.ATOMIC_MOVE;
import static java.nio.file.StandardOpenOption.*;

import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.store.PinnedTable;
import io.sluice.streaming.store.TableRef;
import io.sluice.streaming.store.TableStore;
import java.io.File;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.UUID;

/** What streaming may do with our files. HOME/users has SSTables, LIVE, the names of those that readers open, and IDS. */
final class TinyTables implements TableStore {
    private final Path users;
    private int lastId;
    private int lastReserved;

    TinyTables(Path home) throws IOException {
        this.users = Files.createDirectories(home.resolve("users"));
        if (!Files.exists(users.resolve("IDS"))) { // far above those of the files that are there
            publish("IDS", List.of(Long.toString(System.currentTimeMillis() / 1_000 - 1_700_000_000)));
        }
        lastReserved = lastId = Integer.parseInt(Files.readAllLines(users.resolve("IDS")).get(0));
        if (!Files.exists(users.resolve("LIVE"))) {
            publish("LIVE", Arrays.stream(users.toFile().list()).filter(name -> name.endsWith("-Data.db")).toList());
        }
    }

    List<String> live() throws IOException {
        return Files.readAllLines(users.resolve("LIVE"));
    }

    // A rename is all or nothing; the second sync makes it last, before anybody is notified of it.
    private void publish(String file, Iterable<String> lines) throws IOException {
        Path next = users.resolve(file + ".next");
        Files.write(next, lines, CREATE, TRUNCATE_EXISTING, SYNC);
        Files.move(next, users.resolve(file), ATOMIC_MOVE);
        try (FileChannel folder = FileChannel.open(users)) {
            folder.force(true);
        }
    }

    @Override
    public Optional<TableRef> table(UUID id) {
        return Optional.of(TinyDatabase.USERS).filter(table -> table.id().equals(id));
    }

    // A peer reads: hard links keep the files for it, even if compaction removes ours. Sluice sends the ranges alone.
    @Override
    public PinnedTable pin(UUID planId, TableRef table, TokenRanges ranges) throws IOException {
        Path pins = Files.createDirectories(users.resolveSibling("pins").resolve(UUID.randomUUID().toString()));
        List<String> live = live();
        for (String file : users.toFile().list()) { // nb-42-big-Index.db is a component of nb-42-big-Data.db
            if (live.contains(file.replaceFirst("[^-]+$", "Data.db"))) {
                Files.createLink(pins.resolve(file), users.resolve(file));
            }
        }
        return new Pin(table, live.stream().map(pins::resolve).toList(), pins);
    }

    private record Pin(TableRef table, List<Path> sstables, Path folder) implements PinnedTable {
        @Override
        public void close() {
            Arrays.stream(folder.toFile().listFiles()).forEach(File::delete);
            folder.toFile().delete();
        }
    }

    @Override
    public Path liveDirectory(TableRef table) {
        return users;
    }

    // On the same file system: what is complete goes into the live folder by a rename.
    @Override
    public Path stagingDirectory() {
        return users.resolveSibling("staging");
    }

    // No id of an SSTable ever comes back, also not after a crash: a thousand at a time are reserved in a file.
    @Override
    public synchronized String newId(TableRef table) throws IOException {
        if (lastId == lastReserved) {
            publish("IDS", List.of(Integer.toString(lastReserved + 1_000)));
            lastReserved += 1_000;
        }
        return Integer.toString(++lastId);
    }

    // The files are there, complete and durable. After a crash this may come twice, and a set does not mind.
    @Override
    public synchronized void activate(UUID installId, TableRef table, List<Path> dataFiles) throws IOException {
        TreeSet<String> names = new TreeSet<>(live());
        dataFiles.forEach(file -> names.add(file.getFileName().toString()));
        publish("LIVE", names);
    }
}
