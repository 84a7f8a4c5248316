package io.sluice.cassandra.receive;

import io.sluice.cassandra.ring.CassandraNode;
import io.sluice.sstable.SSTable;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.component.SSTableId;
import io.sluice.sstable.encoding.LocalFiles;
import io.sluice.sstable.encoding.OwnerOnly;
import io.sluice.sstable.token.TokenRanges;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * Keeps what each node gave of a table until all nodes have given theirs, and then puts it together in one folder. A
 * part is complete, verified and durable once its folder has its name, so that the next process that asks the same
 * nodes for the same ranges uses it. Beside the target:
 *
 * <pre>
 * TARGET.parts/HOST-ID-RANGES/   the SSTables of one node; RANGES is a hash of the ranges that it was asked for; an
 *                                empty file unverified-SSTABLE beside one that came without checksums of its data
 * TARGET.parts/all/              links to the files of all parts, under new ids; becomes TARGET
 * </pre>
 *
 * Not thread-safe but for {@link #of}.
 */
final class PulledParts {
    private static final LocalFiles FILES = new LocalFiles();
    private static final String SUFFIX = ".parts";
    private static final String ALL = "all";
    private static final String UNVERIFIED = "unverified-";

    private final Path target;
    private final Path folder;

    private PulledParts(Path target) {
        this.target = target;
        this.folder = target.resolveSibling(target.getFileName() + SUFFIX);
    }

    /**
     * Of a table that is to lie at {@code target}, which must not exist.
     *
     * @throws java.nio.file.FileAlreadyExistsException if it does
     */
    static PulledParts at(Path target) throws IOException {
        return new PulledParts(ReceiveDirectory.requireAbsent(target));
    }

    /**
     * Lets no other process make the target, or a part, until it is closed.
     *
     * @throws java.nio.file.FileSystemException if one does so
     */
    FolderLock lock() throws IOException {
        return FolderLock.beside(target);
    }

    /** Where all parts lie. */
    Path folder() {
        return folder;
    }

    /** The folder of what a node gives of these ranges; it exists if an earlier attempt has brought it. */
    Path of(CassandraNode node, TokenRanges ranges) {
        UUID hash = UUID.nameUUIDFromBytes(ranges.ranges().toString().getBytes(StandardCharsets.UTF_8));
        return folder.resolve(node.hostId() + "-" + hash);
    }

    /** Notes in a part that becomes durable which of its SSTables came without checksums of their data. */
    static void note(Path part, List<ReceivedTable.ReceivedFile> received) throws IOException {
        for (ReceivedTable.ReceivedFile one : received) {
            if (!one.isSummed()) {
                OwnerOnly.createFile(part.resolve(UNVERIFIED + one.descriptor()));
            }
        }
    }

    /** How many SSTables of a part came without checksums of their data. */
    static int unverified(Path part) throws IOException {
        return (int) FILES.list(part).stream()
                .filter(file -> String.valueOf(file.getFileName()).startsWith(UNVERIFIED))
                .count();
    }

    /**
     * Makes the target of these parts, all or nothing, durably, and removes all parts.
     *
     * @param parts folders that {@link #of} has named; one that does not exist is of a node that has nothing
     * @return the SSTables in the target; none, and no target, if no node has anything
     */
    List<SSTable> install(List<Path> parts) throws IOException {
        Path all = folder.resolve(ALL);
        FILES.deleteTree(all);
        OwnerOnly.createDirectories(all);
        List<Descriptor> installed = new ArrayList<>();
        for (Path part : parts) {
            for (SSTable sstable : sstables(part)) {
                Descriptor descriptor = sstable.descriptor();
                Descriptor renamed = new Descriptor(descriptor.version(), new SSTableId.Sequence(installed.size() + 1));
                link(sstable, part, renamed, all);
                installed.add(renamed);
            }
        }
        if (!installed.isEmpty()) {
            FILES.syncDirectory(all);
            FILES.rename(all, target);
            FILES.syncDirectory(target.resolveSibling(""));
        }
        FILES.deleteTree(folder);
        List<SSTable> sstables = new ArrayList<>();
        for (Descriptor descriptor : installed) {
            sstables.add(SSTable.open(target, descriptor));
        }
        return sstables;
    }

    /** Removes the folder of the parts if there is none in it. */
    void removeIfEmpty() throws IOException {
        if (FILES.exists(folder) && FILES.list(folder).isEmpty()) {
            FILES.delete(folder);
        }
    }

    private static List<SSTable> sstables(Path part) throws IOException {
        List<SSTable> sstables = new ArrayList<>();
        for (Path file : FILES.exists(part) ? FILES.list(part) : List.<Path>of()) {
            Optional<Descriptor.Named> named = Descriptor.parse(String.valueOf(file.getFileName()));
            if (named.isPresent() && named.get().component() == Component.DATA) {
                sstables.add(SSTable.open(part, named.get().descriptor()));
            }
        }
        return sstables;
    }

    /** The bytes of a component do not depend on the id of its SSTable. */
    private static void link(SSTable sstable, Path part, Descriptor renamed, Path into) throws IOException {
        for (Path file : FILES.list(part)) {
            Optional<Descriptor.Named> named = Descriptor.parse(String.valueOf(file.getFileName()))
                    .filter(one -> one.descriptor().equals(sstable.descriptor()));
            if (named.isPresent()) {
                Files.createLink(into.resolve(renamed.fileName(named.get().component())), file);
            }
        }
    }
}
