package io.sluice.streaming.install;

import io.sluice.sstable.component.AttachedFile;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.data.SSTableWriter;
import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.metadata.Toc;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.message.AttachedFiles;
import io.sluice.streaming.message.ComponentManifest;
import io.sluice.streaming.message.SSTableOffer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The part of a {@link StagedSet} on one volume, with complete SSTables only: a folder, its journal, and its
 * reservation. Thread-safe for different SSTables.
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

    /** A part, and the journal entries of earlier attempts. */
    record Opened(StagedPart part, List<Journal.Entry> entries) {}

    /**
     * Opens the folder; creates it if necessary. If that fails, what it had retained stays retained, and nothing new
     * stays.
     */
    static Opened open(SetFolder folder, UUID tableId) throws IOException {
        folder.disk().createDirectories(planOf(folder));
        OptionalLong adopted = folder.volume().abandoned().adopt(tableId, folder.path());
        boolean isNew = !folder.isThere();
        try {
            Opened opened = openAdopted(folder, tableId);
            adopted.ifPresent(
                    bytes -> LOG.info("{}: reusing {} bytes of {} from an earlier attempt", folder, bytes, tableId));
            return opened;
        } catch (IOException e) {
            if (adopted.isPresent() || isNew) {
                undo(folder, tableId, isNew, e);
            }
            throw e;
        }
    }

    private static void undo(SetFolder folder, UUID tableId, boolean isNew, IOException why) {
        try {
            if (isNew) {
                folder.discard();
            } else {
                folder.volume().abandoned().giveBack(tableId, folder.path());
            }
        } catch (IOException e) { // the next start finds it
            why.addSuppressed(e);
        }
    }

    private static Path planOf(SetFolder folder) {
        return folder.path().resolveSibling(".").normalize();
    }

    private static Opened openAdopted(SetFolder folder, UUID tableId) throws IOException {
        Disk disk = folder.disk();
        disk.createDirectories(folder.path());
        disk.syncDirectory(folder.volume().root());
        disk.syncDirectory(planOf(folder));
        folder.forgetPart(); // of an install that was not committed
        List<Journal.Entry> entries = Journal.read(disk, folder.path(), tableId).entries();
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

    Path file(Descriptor sstable, Component component) {
        return directory.resolve(sstable.fileName(component));
    }

    void append(Journal.Entry entry) throws IOException {
        volume().disk().requireTrust();
        journal.append(entry);
    }

    /** @param isNew whether the file cannot exist yet, so that the disk need not be asked */
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

    /** Removes all files of an SSTable. */
    void remove(Descriptor sstable) throws IOException {
        for (Path file : disk.list(directory)) {
            if (Descriptor.ofFile(String.valueOf(file.getFileName()))
                    .filter(sstable::equals)
                    .isPresent()) {
                disk.delete(file);
            }
        }
    }

    /**
     * Syncs the files of an offer, and writes the TOC, which also lists the attached files.
     *
     * @param isFirst whether no earlier attempt can have written one
     * @return the TOC
     */
    Bytes complete(Descriptor descriptor, SSTableOffer offer, List<AttachedFile> attached, boolean isFirst, Lost lost)
            throws IOException {
        TreeSet<Component> components = new TreeSet<>(List.of(Component.TOC));
        for (ComponentManifest manifest : offer.components()) {
            try {
                disk.syncFile(directory.resolve(descriptor.fileName(manifest.component())));
            } catch (IOException e) {
                lost.forget(descriptor, manifest.component());
                delete(descriptor, manifest.component());
                throw e;
            }
            if (manifest.component() != Component.ATTACHED) {
                components.add(manifest.component());
            }
        }
        Path toc = file(descriptor, Component.TOC);
        if (!isFirst) {
            disk.delete(toc);
        }
        Bytes content = Toc.of(components, attached).encode();
        disk.writeDurably(toc, content.toArray());
        return content;
    }

    /**
     * Unpacks the attached files of an offer, durably; keeps the container file for another attempt.
     *
     * @param step called after each write
     * @return its header; empty if there are no attached files
     */
    AttachedFiles unpack(ReceivedSSTableCheck check, Descriptor descriptor, SSTableOffer offer, Runnable step)
            throws IOException {
        if (offer.manifest(Component.ATTACHED).isEmpty()) {
            return new AttachedFiles(List.of(), new TreeSet<>());
        }
        return check.unpack(new SteppingDisk(disk, step), file(descriptor, Component.ATTACHED), directory, descriptor);
    }

    /** Called for a file whose received extents are no longer valid. */
    interface Lost {
        void forget(Descriptor sstable, Component component);
    }

    /**
     * Writes an SSTable from received rows, and removes their file; keeps the file if that fails.
     *
     * @param step called after each write
     * @return whether an SSTable was written
     */
    boolean makeSSTable(
            ReceivedSSTableCheck check,
            Descriptor descriptor,
            SSTableOffer offer,
            TokenRanges ranges,
            Lost lost,
            Runnable step)
            throws IOException {
        SSTableWriter.clear(disk, directory, descriptor); // of an earlier attempt
        Path part = file(descriptor, Component.PART);
        claims.begin(descriptor, Component.DATA, false);
        boolean isSSTable;
        try {
            isSSTable = check.makeSSTable(new SteppingDisk(disk, step), part, directory, descriptor, ranges);
        } catch (StreamException refused) {
            throw new StreamException(
                    refused.code(), "rows of " + offer.source() + ": " + refused.getMessage(), refused);
        }
        lost.forget(descriptor, Component.PART);
        disk.delete(part);
        return isSSTable;
    }

    /**
     * Replaces the statistics of an SSTable; they then differ from the offer, so their received extents are forgotten.
     */
    void replaceStatistics(Descriptor descriptor, Bytes statistics, Lost lost) throws IOException {
        lost.forget(descriptor, Component.STATISTICS);
        disk.publish(file(descriptor, Component.STATISTICS), statistics.toArray());
    }

    /** Makes the journal and the names durable. */
    void sync() throws IOException {
        durable.sync();
    }

    void leaveCache(Descriptor sstable) throws IOException {
        disk.leaveCache(file(sstable, Component.DATA));
    }

    /**
     * The files of SSTables, grouped by SSTable, each TOC last: an SSTable without TOC is incomplete.
     *
     * @param attached their attached files
     * @param crc32s known checksums, by file name
     */
    List<CommitFile.StagedFile> files(
            List<Descriptor> sstables,
            Map<Descriptor, List<AttachedFile>> attached,
            Map<String, Long> crc32s,
            Optional<UUID> volumeId)
            throws IOException {
        Set<String> here = disk.list(directory).stream()
                .map(file -> String.valueOf(file.getFileName()))
                .collect(Collectors.toSet());
        List<CommitFile.StagedFile> files = new ArrayList<>();
        for (Descriptor sstable : sstables) {
            for (AttachedFile file : attached.getOrDefault(sstable, List.of())) {
                files.add(file(sstable.fileName(file), crc32s, volumeId));
            }
            for (Component component : Component.ofSSTables()) {
                String name = sstable.fileName(component);
                if (here.contains(name)) {
                    files.add(file(name, crc32s, volumeId));
                }
            }
        }
        return files;
    }

    private CommitFile.StagedFile file(String name, Map<String, Long> crc32s, Optional<UUID> volumeId)
            throws IOException {
        Long crc32 = crc32s.get(name);
        return new CommitFile.StagedFile(
                name,
                disk.size(directory.resolve(name)),
                volumeId,
                crc32 == null ? OptionalLong.empty() : OptionalLong.of(crc32));
    }

    /** Notes durably that the commit file of the set is on another volume. */
    void joins(CommitPart commit) throws IOException {
        disk.publish(directory.resolve(CommitPart.NAME), commit.encode());
    }

    void close() throws IOException {
        claims.close();
        journal.close();
    }
}
