package io.sluice.streaming.install;

import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.data.SSTableWriter;
import io.sluice.sstable.metadata.Toc;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.message.ComponentManifest;
import io.sluice.streaming.message.Extent;
import io.sluice.streaming.message.SSTableOffer;
import io.sluice.streaming.progress.TransferMode;
import io.sluice.streaming.store.TableRef;
import io.sluice.streaming.store.TableStore;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The SSTables of one table of one plan, on their way from the first byte to the live folder. All of them become live,
 * or none. What has landed is remembered by its content: whoever offers the same content later, the same session on its
 * next attempt or another source after a crash, need not send it again. Long because landing, staging and committing
 * share what is remembered.
 *
 * <p>Thread-safe for different SSTables; calls for one SSTable, and {@link #commit}, are made one after the other.
 */
public final class StagedSet {
    private static final Logger LOG = LoggerFactory.getLogger(StagedSet.class);

    private final StagingArea area;
    private final Disk disk;
    private final UUID planId;
    private final TableRef table;
    private final Fence fence;
    private final Path directory;
    private final Journal journal;
    private final SharedSync durable;
    private final SetReservation claims;
    private final UsageGate inUse;

    // Guarded by this. In an order of its own: the same run of the simulation takes the same course in each process.
    private final Map<Descriptor, Kept> kept = new LinkedHashMap<>();
    private final Map<Descriptor, UUID> staged = new HashMap<>();
    private final Set<UUID> unstaged = new HashSet<>();

    /** Files that have landed, or are landing: what is in them, and for which session. */
    private static final class Kept {
        final SSTableFingerprint content;
        final Map<Component, Map<Long, Journal.Entry.Landed>> extents = new EnumMap<>(Component.class);
        final Set<Component> opened = EnumSet.noneOf(Component.class);
        final boolean isOfThisProcess;

        @Nullable
        UUID session;

        Kept(SSTableFingerprint content, boolean isOfThisProcess) {
            this.content = content;
            this.isOfThisProcess = isOfThisProcess;
        }

        /** Whether nothing had landed there before. */
        boolean add(Journal.Entry.Landed landed) {
            return extents.computeIfAbsent(landed.component(), component -> new TreeMap<>())
                            .put(landed.offset(), landed)
                    == null;
        }
    }

    private StagedSet(StagingArea area, UUID planId, TableRef table, Fence fence, Path directory, Journal journal) {
        this.area = area;
        this.disk = area.disk();
        this.planId = planId;
        this.table = table;
        this.fence = fence;
        this.directory = directory;
        this.journal = journal;
        this.claims = new SetReservation(area);
        this.inUse = new UsageGate(table);
        this.durable = new SharedSync(() -> {
            journal.sync();
            disk.syncDirectory(directory);
        });
    }

    /** The set of a directory, which exists, with what its journal says of an earlier process. */
    static StagedSet open(StagingArea area, UUID planId, TableRef table, Fence fence, Path directory)
            throws IOException {
        Disk disk = area.disk();
        List<Journal.Entry> entries = Journal.read(disk, directory, table.id());
        Journal journal = Journal.begin(disk, directory, table.id(), entries);
        StagedSet set = new StagedSet(area, planId, table, fence, directory, journal);
        for (Journal.Entry entry : entries) {
            if (entry instanceof Journal.Entry.Begun begun) {
                set.kept.put(begun.descriptor(), new Kept(begun.content(), false));
            } else if (entry instanceof Journal.Entry.Landed landed) {
                Kept sstable = set.kept.get(landed.descriptor());
                if (sstable != null) {
                    sstable.add(landed);
                }
            }
        }
        return set;
    }

    public TableRef table() {
        return table;
    }

    UUID planId() {
        return planId;
    }

    Path directory() {
        return directory;
    }

    /**
     * Where an offered SSTable lands. Immutable.
     *
     * @param held what of it lies there already, each byte read and checked
     */
    public record Landing(SSTableOffer offer, StagedSet set, Descriptor descriptor, List<StagedExtent> held) {
        public Landing {
            held = List.copyOf(held);
        }

        /** By file, the room on the disk that it takes: rows lie there twice for a while, also as an SSTable. */
        Map<Component, Long> roomBytes() {
            Map<Component, Long> room = new EnumMap<>(Component.class);
            offer.components().forEach(manifest -> room.put(manifest.component(), manifest.lengthBytes()));
            held.forEach(landed -> room.computeIfPresent(
                    landed.extent().component(),
                    (component, missing) ->
                            Math.max(0, missing - landed.extent().lengthBytes())));
            if (offer.choice().mode() == TransferMode.ROWS) {
                room.put(Component.DATA, offer.lengthBytes());
            }
            return room;
        }
    }

    /** Gives names that were never used. */
    public interface NewDescriptor {
        Descriptor get() throws IOException;
    }

    /**
     * Finds the files that hold some of an offer's content already and that no other session uses, or names new ones,
     * and sets room aside for what is missing.
     *
     * @param session to whom the files, and the room, belong until {@link #release}
     * @throws StreamException of code {@link ErrorCode#DISK_FULL}, with the numbers, if there is not that much room
     * @throws SetOverException if the set is not in use any more
     * @throws IOException if the disk fails; of bytes that cannot be read it is only forgotten that they are there
     */
    public Landing land(UUID session, SSTableOffer offer, NewDescriptor fresh) throws IOException {
        return inUse.during(() -> landNow(session, offer, fresh));
    }

    private Landing landNow(UUID session, SSTableOffer offer, NewDescriptor fresh) throws IOException {
        SSTableFingerprint content = SSTableFingerprint.of(offer);
        Descriptor descriptor = take(session, content);
        if (descriptor != null) {
            return reserved(new Landing(offer, this, descriptor, held(descriptor, offer)));
        }
        Descriptor made = fresh.get();
        Kept sstable = new Kept(content, true);
        sstable.session = session;
        journal.append(new Journal.Entry.Begun(made, content));
        synchronized (this) {
            kept.put(made, sstable);
        }
        return reserved(new Landing(offer, this, made, List.of()));
    }

    private Landing reserved(Landing landing) throws IOException {
        claims.reserve(landing.descriptor(), landing.roomBytes());
        return landing;
    }

    private synchronized @Nullable Descriptor take(UUID session, SSTableFingerprint content) {
        for (Map.Entry<Descriptor, Kept> entry : kept.entrySet()) {
            Kept sstable = entry.getValue();
            // What is staged counts for the session that staged it, also when that is over: nobody else may have it.
            if (sstable.session == null && !staged.containsKey(entry.getKey()) && sstable.content.equals(content)) {
                sstable.session = session;
                return entry.getKey();
            }
        }
        return null;
    }

    private List<StagedExtent> held(Descriptor descriptor, SSTableOffer offer) {
        List<Journal.Entry.Landed> claims = new ArrayList<>();
        boolean isTrusted;
        synchronized (this) {
            Kept sstable = kept.get(descriptor);
            if (sstable == null) {
                return List.of();
            }
            isTrusted = sstable.isOfThisProcess;
            sstable.extents.values().forEach(extents -> claims.addAll(extents.values()));
        }
        List<StagedExtent> held = new ArrayList<>();
        for (Journal.Entry.Landed claim : claims) {
            if (isTrusted || isTrue(claim)) {
                held.add(new StagedExtent(
                        new Extent(offer.number(), claim.component(), claim.offset(), claim.lengthBytes()),
                        claim.crc32()));
            }
        }
        return held;
    }

    private boolean isTrue(Journal.Entry.Landed claim) {
        Path file = directory.resolve(claim.descriptor().fileName(claim.component()));
        try {
            return disk.exists(file) && disk.refresh(file, claim.offset(), claim.lengthBytes()) == claim.crc32();
        } catch (IOException e) {
            LOG.warn(
                    "{}: {} bytes at {} cannot be read, and are fetched again: {}",
                    file,
                    claim.lengthBytes(),
                    claim.offset(),
                    e.getMessage());
            return false;
        }
    }

    /**
     * Opens one component for writing; made if it is not there. Closed by the caller.
     *
     * @throws io.sluice.streaming.StreamException of code {@link io.sluice.streaming.ErrorCode#DISK_FULL} instead of
     *     taking what is kept back for the database
     * @throws SetOverException if the set is not in use any more
     */
    public DiskFile open(Descriptor descriptor, Component component) throws IOException {
        return inUse.during(() -> openNow(descriptor, component));
    }

    private DiskFile openNow(Descriptor descriptor, Component component) throws IOException {
        Path file = directory.resolve(descriptor.fileName(component));
        boolean isThere = !isFirstOpened(descriptor, component) && disk.exists(file);
        claims.begin(descriptor, component, isThere);
        return isThere ? disk.open(file) : disk.create(file);
    }

    /** Notes that the file is opened; whether nobody can have made it before, so that the disk need not be asked. */
    private synchronized boolean isFirstOpened(Descriptor descriptor, Component component) {
        Kept sstable = kept.get(descriptor);
        return sstable != null && sstable.isOfThisProcess && sstable.opened.add(component);
    }

    /**
     * Notes that bytes were written, which have this checksum.
     *
     * @throws SetOverException if the set is not in use any more
     */
    public void landed(Descriptor descriptor, Extent extent, long crc32) throws IOException {
        Journal.Entry.Landed landed =
                new Journal.Entry.Landed(descriptor, extent.component(), extent.offset(), extent.lengthBytes(), crc32);
        synchronized (this) {
            Kept sstable = kept.get(descriptor);
            if (sstable == null) {
                throw new IllegalStateException(descriptor + " does not land here");
            }
            if (sstable.add(landed)) {
                claims.landed(descriptor, extent.component(), extent.lengthBytes());
            }
        }
        inUse.during(() -> {
            journal.append(landed);
            return landed;
        });
    }

    /** Forgets what has landed of a file: it is damaged. */
    public synchronized void forget(Descriptor descriptor, Component component) {
        Kept sstable = kept.get(descriptor);
        if (sstable != null) {
            sstable.extents.remove(component);
        }
    }

    /**
     * A sync of a file has failed: what it was to make durable never will be, since the next sync would succeed without
     * it. The file goes, and comes again.
     */
    public void lose(Descriptor descriptor, Component component) throws IOException {
        forget(descriptor, component);
        disk.delete(directory.resolve(descriptor.fileName(component)));
    }

    /**
     * Makes a received SSTable durable, name and content, and checks it.
     *
     * @param session whose SSTable it is
     * @throws io.sluice.streaming.StreamException if it is not what was offered, or holds more than was asked for, or a
     *     newer operation has taken over, or its table was dropped
     * @throws SetOverException if the set is not in use any more
     * @throws IOException if the disk fails or the SSTable cannot be opened
     */
    public void stage(UUID session, Descriptor descriptor, SSTableOffer offer, TokenRanges ranges) throws IOException {
        area.requireTable(table);
        inUse.during(() -> {
            stageNow(session, descriptor, offer, ranges);
            return descriptor;
        });
    }

    private void stageNow(UUID session, Descriptor descriptor, SSTableOffer offer, TokenRanges ranges)
            throws IOException {
        boolean isSSTable = offer.choice().mode() == TransferMode.ROWS
                ? makeSSTable(descriptor, offer, ranges)
                : completeSSTable(descriptor, offer);
        if (isSSTable) {
            area.check().check(directory, descriptor, offer, ranges);
        }
        area.epochs().ifNewest(fence, () -> fence);
        durable.sync();
        if (isSSTable) {
            disk.leaveCache(directory.resolve(descriptor.fileName(Component.DATA)));
        }
        claims.release(descriptor);
        synchronized (this) {
            if (isSSTable && !unstaged.contains(session)) {
                staged.put(descriptor, session);
            }
        }
    }

    /** Of files that came as they are to be: syncs them and writes what lists them. */
    private boolean completeSSTable(Descriptor descriptor, SSTableOffer offer) throws IOException {
        TreeSet<Component> components = new TreeSet<>(List.of(Component.TOC));
        for (ComponentManifest manifest : offer.components()) {
            try {
                disk.syncFile(directory.resolve(descriptor.fileName(manifest.component())));
            } catch (IOException e) {
                lose(descriptor, manifest.component());
                throw e;
            }
            components.add(manifest.component());
        }
        Path toc = directory.resolve(descriptor.fileName(Component.TOC));
        disk.delete(toc); // of an earlier attempt
        disk.writeDurably(toc, Toc.of(components).encode().toArray());
        return true;
    }

    /**
     * Of rows: writes an SSTable of them. Their file goes, so that what has landed of it is no help to anybody any
     * more; if it cannot be read or written as an SSTable it stays, and need not come again.
     */
    private boolean makeSSTable(Descriptor descriptor, SSTableOffer offer, TokenRanges ranges) throws IOException {
        SSTableWriter.clear(disk, directory, descriptor); // of an earlier attempt
        Path part = directory.resolve(descriptor.fileName(Component.PART));
        claims.begin(descriptor, Component.DATA, false);
        boolean isSSTable;
        try {
            isSSTable = area.check().makeSSTable(disk, part, directory, descriptor, ranges);
        } catch (StreamException refused) {
            throw new StreamException(
                    refused.code(), "rows of " + offer.source() + ": " + refused.getMessage(), refused);
        }
        forget(descriptor, Component.PART);
        disk.delete(part);
        return isSSTable;
    }

    /** A session is over: its files may be used by another, its room, too; what it has staged stays staged. */
    public synchronized void release(UUID session) {
        kept.forEach((descriptor, sstable) -> {
            if (session.equals(sstable.session)) {
                sstable.session = null;
                claims.release(descriptor);
            }
        });
    }

    /** What a session has staged shall not become live: others send all of it again. */
    public synchronized void unstage(UUID session) {
        unstaged.add(session);
        staged.values().removeIf(session::equals);
    }

    /**
     * The commit point: when this returns, the set will become live, also if the process dies now.
     *
     * @throws io.sluice.streaming.StreamException of code {@link io.sluice.streaming.ErrorCode#FENCED} if a newer
     *     operation has taken over, DISCARDED if the permit was revoked; then nothing was done
     * @throws IOException if it cannot be made durable; then the set has not been committed
     */
    CommitFile commit(UUID installId, TableStore.Permit permit) throws IOException {
        return area.epochs().ifNewest(fence, () -> commitNow(installId, permit));
    }

    private CommitFile commitNow(UUID installId, TableStore.Permit permit) throws IOException {
        disk.syncDirectory(directory);
        List<Descriptor> sstables;
        synchronized (this) {
            sstables = staged.keySet().stream()
                    .sorted(Comparator.comparing(Descriptor::id))
                    .toList();
        }
        Set<Path> here = new HashSet<>(disk.list(directory));
        List<CommitFile.StagedFile> files = new ArrayList<>();
        for (Descriptor sstable : sstables) {
            for (Component component : Component.ofSSTables()) { // TOC is the last of them: a table without is no table
                Path file = directory.resolve(sstable.fileName(component));
                if (here.contains(file)) {
                    files.add(new CommitFile.StagedFile(sstable.fileName(component), disk.size(file)));
                }
            }
        }
        CommitFile commit = new CommitFile(installId, table.id(), sstables, files);
        byte[] bytes = commit.encode();
        if (permit.isRevoked()) {
            throw new StreamException(
                    ErrorCode.DISCARDED,
                    table + ": the database has revoked its permit to install; nothing was committed");
        }
        disk.publish(directory.resolve(CommitFile.COPY_NAME), bytes);
        disk.publish(directory.resolve(CommitFile.NAME), bytes);
        return commit;
    }

    /** How many SSTables are staged. */
    synchronized int stagedCount() {
        return staged.size();
    }

    /** Whether there is anything that a later attempt could use. */
    synchronized boolean isWorthKeeping() {
        return kept.values().stream().anyMatch(sstable -> !sstable.extents.isEmpty());
    }

    /** Ends the use of the set by this process, when the steps that have begun are done; the files stay. */
    void close() throws IOException {
        inUse.end();
        claims.close();
        journal.close();
    }
}
