package io.sluice.sstable;

import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.component.SSTableException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a flush, a compaction or a stream of Cassandra makes and replaces while it runs, or when it was interrupted: a
 * file {@code <version>_txn_<operation>_<id>.log} beside the SSTables. Its lines, as Cassandra 5.0 writes them:
 *
 * <pre>
 * ADD:[/data/shop/users-27c2/nb-8-big-,0,8][531855163]
 * REMOVE:[/data/shop/users-27c2/nb-6-big-,1795875904655,7][2690849883]
 * COMMIT:[,0,0][2613697770]
 * </pre>
 *
 * <p>{@code ABORT} is the other end. The number at the end is a checksum, which is not verified here: a line that was
 * cut has no end. Immutable.
 *
 * @param isCommitted whether what was made is live now, and what was replaced is not
 * @param added SSTables that it makes
 * @param removed SSTables that it replaces
 */
record TransactionLog(boolean isCommitted, Set<Descriptor> added, Set<Descriptor> removed) {
    private static final Pattern NAME = Pattern.compile("[a-z]{2}_txn_\\w+_[0-9a-f-]{36}\\.log");
    private static final Pattern LINE = Pattern.compile("(ADD|REMOVE|COMMIT|ABORT):\\[(.*),\\d+,\\d+]\\[\\d+]");
    private static final long MAX_LENGTH_BYTES = 64 << 20;

    TransactionLog {
        added = Set.copyOf(added);
        removed = Set.copyOf(removed);
    }

    static boolean isName(String fileName) {
        return fileName.endsWith(".log") && NAME.matcher(fileName).matches();
    }

    /** SSTables that lie in the folder, and are not part of the table. */
    Set<Descriptor> notLive() {
        return isCommitted ? removed : added;
    }

    /**
     * Reads a log. The last line may be cut: it was being written.
     *
     * @throws SSTableException if another line is none of a log, or it is too long
     * @throws java.nio.file.NoSuchFileException if the operation has ended meanwhile
     */
    static TransactionLog read(Path file) throws IOException {
        if (Files.size(file) > MAX_LENGTH_BYTES) {
            throw new SSTableException(file + ": " + Files.size(file)
                    + " bytes (expected: a transaction log of at most " + MAX_LENGTH_BYTES + ")");
        }
        List<String> lines = Files.readAllLines(file, StandardCharsets.ISO_8859_1); // names are ASCII
        boolean isCommitted = false;
        Set<Descriptor> added = new HashSet<>();
        Set<Descriptor> removed = new HashSet<>();
        for (int number = 1; number <= lines.size(); number++) {
            Matcher line = LINE.matcher(lines.get(number - 1));
            if (line.matches()) {
                isCommitted |= line.group(1).equals("COMMIT");
                Set<Descriptor> named = line.group(1).equals("ADD") ? added : removed;
                sstable(line.group(2)).ifPresent(named::add);
            } else if (number < lines.size()) {
                throw new SSTableException(
                        file + ": line " + number + " is none of a transaction log, so it is not known"
                                + " which SSTables are live (take a snapshot, or start the node, which ends the operation)");
            }
        }
        return new TransactionLog(isCommitted, added, removed);
    }

    /** The SSTable of a prefix of file names; empty for one of an unsupported version, and for the end of a log. */
    private static Optional<Descriptor> sstable(String prefix) {
        return Descriptor.parse(prefix.substring(prefix.lastIndexOf('/') + 1) + Component.DATA.fileName())
                .map(Descriptor.Named::descriptor);
    }
}
