package io.sluice.harness.cli.sstable;

import io.sluice.harness.config.ConfigException;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.data.SSTableWriter;
import io.sluice.sstable.encoding.LocalFiles;
import io.sluice.sstable.encoding.LockedFile;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The SSTables that a command makes in the folder of a table. Their names stand in a file beside them, from before each
 * is begun until all are there: so the next command that writes to the folder knows what one that was interrupted, or
 * failed, has left, and removes it. A lock on that file keeps two commands apart. Not thread-safe.
 */
final class UnfinishedSSTables implements AutoCloseable {
    static final String LIST = ".sluice-unfinished";

    private static final int MOST_BYTES = 1 << 24; // of names: more than a folder has

    private final LocalFiles files = new LocalFiles();
    private final Path folder;
    private final LockedFile lock;
    private final FileChannel list;

    private UnfinishedSSTables(Path folder, LockedFile lock) {
        this.folder = folder;
        this.lock = lock;
        this.list = lock.channel();
    }

    /**
     * Begins; removes what an earlier command has left, and says so to {@code err}.
     *
     * @param folder of the table, which exists
     * @throws ConfigException if another command writes there now
     */
    static UnfinishedSSTables in(Path folder, PrintWriter err) throws IOException {
        LockedFile lock = LockedFile.of(folder.resolve(LIST))
                .orElseThrow(() -> new ConfigException(
                        folder + ": another command writes there (expected: one at a time; wait for its end)"));
        try {
            var made = new UnfinishedSSTables(folder, lock);
            made.removeLeft(err);
            return made;
        } catch (IOException | RuntimeException failed) {
            lock.close();
            throw failed;
        }
    }

    private void write(String line) throws IOException {
        ByteBuffer bytes = StandardCharsets.UTF_8.encode(line + "\n");
        long position = list.size();
        while (bytes.hasRemaining()) {
            position += list.write(bytes, position);
        }
        list.force(true); // before what it names: both outlive a power loss, or only the name
    }

    private void removeLeft(PrintWriter err) throws IOException {
        List<Descriptor> left =
                read().lines().flatMap(line -> descriptor(line).stream()).toList();
        for (Descriptor descriptor : left) {
            SSTableWriter.clear(files, folder, descriptor);
        }
        if (!left.isEmpty()) {
            err.println(folder + ": removed what an unfinished command has left: " + left.size()
                    + (left.size() == 1 ? " SSTable" : " SSTables"));
            err.flush();
        }
        list.truncate(0);
        files.syncDirectory(folder);
    }

    private String read() throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(Math.toIntExact(Math.min(list.size(), MOST_BYTES)));
        while (bytes.hasRemaining() && list.read(bytes, bytes.position()) > 0) {
            // until all is read
        }
        return StandardCharsets.UTF_8.decode(bytes.flip()).toString();
    }

    private static Optional<Descriptor> descriptor(String line) {
        return Descriptor.parse(line + "-" + Component.DATA.fileName()).map(Descriptor.Named::descriptor);
    }

    /**
     * Makes room for one more.
     *
     * @throws FileAlreadyExistsException if an SSTable of that name is there
     */
    void begin(Descriptor descriptor) throws IOException {
        for (Component component : Component.ofSSTables()) {
            Path file = folder.resolve(descriptor.fileName(component));
            if (files.exists(file)) {
                throw new FileAlreadyExistsException(file.toString());
            }
        }
        write(descriptor.toString());
        SSTableWriter.clear(files, folder, descriptor); // temporary files of a version that kept no list
    }

    /** All are there: from now on they are like any others. */
    void finish() throws IOException {
        lock.remove(); // from here on a file of that name is another command's
        files.syncDirectory(folder);
    }

    /** Lets others write here; unless {@link #finish} has returned, the next of them removes what was made. */
    @Override
    public void close() throws IOException {
        try (lock) {
            if (list.isOpen() && isNothingLeft()) {
                lock.remove(); // the folder is as before
            }
        }
    }

    /** Whether no file of an SSTable in the list is there: a sample is removed by whoever made it. */
    private boolean isNothingLeft() throws IOException {
        List<String> begun = read().lines().map(line -> line + "-").toList();
        try (Stream<Path> found = Files.list(folder)) {
            return found.map(file -> file.getFileName().toString())
                    .noneMatch(name -> begun.stream().anyMatch(name::startsWith));
        }
    }
}
