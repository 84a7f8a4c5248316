package io.sluice.harness.fault;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.stream.Stream;

/** Corrupts the Data.db files of a node in place, one bit of each, and restores them. Stateless. */
public final class DataFiles {
    private static final int KEYSPACE_TABLE_FILE = 3;

    private DataFiles() {}

    /** Flips a bit in the middle of each live Data.db in a data directory; returns the files. */
    public static List<Path> corrupt(Path dataDirectory) throws IOException {
        List<Path> files = live(dataDirectory);
        flip(files);
        return files;
    }

    /** Flips the bit back in files that still exist; files that became live since were never corrupted. */
    public static void restore(List<Path> spoilt) throws IOException {
        flip(spoilt.stream().filter(Files::exists).toList());
    }

    private static void flip(List<Path> files) throws IOException {
        for (Path file : files) {
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
                long middle = channel.size() / 2;
                ByteBuffer one = ByteBuffer.allocate(1);
                channel.read(one, middle);
                one.put(0, (byte) (one.get(0) ^ 1));
                channel.write(one.rewind(), middle);
            }
        }
    }

    /** Replaces each Data.db by a copy: flipping a bit of a hard link would reach other nodes. */
    public static void unlink(Path dataDirectory) throws IOException {
        for (Path file : live(dataDirectory)) {
            Path copy = file.resolveSibling(file.getFileName() + ".tmp");
            Files.copy(file, copy);
            Files.move(copy, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        }
    }

    private static List<Path> live(Path dataDirectory) throws IOException {
        try (Stream<Path> tree = Files.walk(dataDirectory, KEYSPACE_TABLE_FILE)) {
            return tree.filter(file -> file.getFileName().toString().endsWith("-Data.db"))
                    .filter(file -> dataDirectory.relativize(file).getNameCount() == KEYSPACE_TABLE_FILE)
                    .sorted()
                    .toList();
        }
    }
}
