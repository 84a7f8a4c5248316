package io.sluice.streaming.install;

import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.data.SSTableWriter;
import io.sluice.sstable.metadata.Toc;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.message.ComponentManifest;
import io.sluice.streaming.message.SSTableOffer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What lies of a {@link StagedSet} on one volume, each SSTable of it whole: a folder, its journal, and the room that is
 * reserved there. Thread-safe for different SSTables.
 */
final class StagedPart {
    private static final Logger LOG = LoggerFactory.getLogger(StagedPart.class);

    private final SetFolder folder;
    private final Path directory;
    private final Disk disk;
    private final Journal journal;
    private final SharedSync durable;
    private final SetReservation claims;

    private StagedPart(SetFolder folder, Journal journal) {
        this.folder = folder;
        this.directory = folder.path();
        this.disk = folder.disk();
        this.journal = journal;
        this.claims = new SetReservation(folder.volume());
        this.durable = new SharedSync(() -> {
            journal.sync();
            disk.syncDirectory(directory);
        });
    }

    /** A part, and what its journal says of earlier attempts. */
    record Opened(StagedPart part, List<Journal.Entry> entries) {}

    /** Makes the folder, unless it is there. */
    static Opened open(SetFolder folder, UUID tableId) throws IOException {
        Disk disk = folder.disk();
        Path plan = folder.path().resolveSibling(".").normalize();
        disk.createDirectories(plan);
        folder.volume().abandoned().adopt(tableId, folder.path());
        disk.createDirectories(folder.path());
        disk.syncDirectory(folder.volume().root());
        disk.syncDirectory(plan);
        folder.forgetPart(); // of an install that was never committed
        List<Journal.Entry> entries = Journal.read(disk, folder.path(), tableId);
        return new Opened(new StagedPart(folder, Journal.begin(disk, folder.path(), tableId, entries)), entries);
    }

    SetFolder folder() {
        return folder;
    }

    StagingVolume volume() {
        return folder.volume();
    }

    Path directory() {
        return directory;
    }

    SetReservation claims() {
        return claims;
    }

    private Path file(Descriptor sstable, Component component) {
        return directory.resolve(sstable.fileName(component));
    }

    void append(Journal.Entry entry) throws IOException {
        volume().disk().requireTrust();
        journal.append(entry);
    }

    /** @param isNew whether nobody can have made the file before, so that the disk need not be asked */
    DiskFile open(Descriptor sstable, Component component, boolean isNew) throws IOException {
        volume().disk().requireTrust();
        Path file = file(sstable, component);
        boolean isThere = !isNew && disk.exists(file);
        claims.begin(sstable, component, isThere);
        return isThere ? disk.open(file) : disk.create(file);
    }

    boolean isTrue(Journal.Entry.Landed claim) {
        Path file = file(claim.descriptor(), claim.component());
        try {
            return disk.exists(file) && disk.refresh(file, claim.offset(), claim.lengthBytes()) == claim.crc32();
        } catch (IOException e) {
            LOG.warn(
                    "{}: cannot read {} bytes at {}, fetching them again: {}",
                    file,
                    claim.lengthBytes(),
                    claim.offset(),
                    e.getMessage());
            return false;
        }
    }

    void delete(Descriptor sstable, Component component) throws IOException {
        disk.delete(file(sstable, component));
    }

    /** Syncs the files of an offer, and writes what lists them. */
    void complete(Descriptor descriptor, SSTableOffer offer, Lost lost) throws IOException {
        TreeSet<Component> components = new TreeSet<>(List.of(Component.TOC));
        for (ComponentManifest manifest : offer.components()) {
            try {
                disk.syncFile(directory.resolve(descriptor.fileName(manifest.component())));
            } catch (IOException e) {
                lost.forget(descriptor, manifest.component());
                delete(descriptor, manifest.component());
                throw e;
            }
            components.add(manifest.component());
        }
        Path toc = file(descriptor, Component.TOC);
        disk.delete(toc); // of an earlier attempt
        disk.writeDurably(toc, Toc.of(components).encode().toArray());
    }

    /** Forgets what has landed of a file. */
    interface Lost {
        void forget(Descriptor sstable, Component component);
    }

    /**
     * Of rows: writes an SSTable of them, and removes their file; if it cannot be read or written as an SSTable it
     * stays.
     *
     * @return whether there is one
     */
    boolean makeSSTable(
            ReceivedSSTableCheck check, Descriptor descriptor, SSTableOffer offer, TokenRanges ranges, Lost lost)
            throws IOException {
        SSTableWriter.clear(disk, directory, descriptor); // of an earlier attempt
        Path part = file(descriptor, Component.PART);
        claims.begin(descriptor, Component.DATA, false);
        boolean isSSTable;
        try {
            isSSTable = check.makeSSTable(disk, part, directory, descriptor, ranges);
        } catch (StreamException refused) {
            throw new StreamException(
                    refused.code(), "rows of " + offer.source() + ": " + refused.getMessage(), refused);
        }
        lost.forget(descriptor, Component.PART);
        disk.delete(part);
        return isSSTable;
    }

    /** Makes all durable that was noted and named. */
    void sync() throws IOException {
        durable.sync();
    }

    void leaveCache(Descriptor sstable) throws IOException {
        disk.leaveCache(file(sstable, Component.DATA));
    }

    /** The files of SSTables, those of one after those of another, each TOC last: a table without is no table. */
    List<CommitFile.StagedFile> files(List<Descriptor> sstables, Optional<UUID> volumeId) throws IOException {
        Set<Path> here = new HashSet<>(disk.list(directory));
        List<CommitFile.StagedFile> files = new ArrayList<>();
        for (Descriptor sstable : sstables) {
            for (Component component : Component.ofSSTables()) {
                Path file = file(sstable, component);
                if (here.contains(file)) {
                    files.add(new CommitFile.StagedFile(sstable.fileName(component), disk.size(file), volumeId));
                }
            }
        }
        return files;
    }

    /** Notes, durably, that the set is decided elsewhere. */
    void joins(CommitPart commit) throws IOException {
        disk.publish(directory.resolve(CommitPart.NAME), commit.encode());
    }

    void close() throws IOException {
        claims.close();
        journal.close();
    }
}
