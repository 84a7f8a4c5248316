package io.sluice.streaming.install;

import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
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
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
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
    private final UUID planId;
    private final TableRef table;
    private final Fence fence;
    private final List<TableStore.Volume> wanted;
    private final UsageGate inUse;

    /** Taken before this, and held while a folder is made. */
    private final Object opening = new Object();

    // Guarded by this.
    private final Map<StagingVolume, StagedPart> parts = new LinkedHashMap<>();
    // Guarded by this, too. In an order of its own: the same run of the simulation takes the same course in each
    // process.
    private final Map<Descriptor, Kept> kept = new LinkedHashMap<>();
    private final Map<Descriptor, UUID> staged = new HashMap<>();
    private final Set<UUID> unstaged = new HashSet<>();
    /** Where its commit file is being written, or was. */
    private volatile @Nullable StagedPart committing;

    /** Files that have landed, or are landing: what is in them, and for which session. */
    private static final class Kept {
        final StagedPart part;
        final SSTableFingerprint content;
        final Map<Component, Map<Long, Journal.Entry.Landed>> extents = new EnumMap<>(Component.class);
        final Set<Component> opened = EnumSet.noneOf(Component.class);
        final boolean isOfThisProcess;

        @Nullable
        UUID session;

        Kept(StagedPart part, SSTableFingerprint content, boolean isOfThisProcess) {
            this.part = part;
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

    /**
     * Nothing has landed.
     *
     * @param wanted the volumes, with the tokens that they should hold
     */
    StagedSet(StagingArea area, UUID planId, TableRef table, Fence fence, List<TableStore.Volume> wanted) {
        this.area = area;
        this.planId = planId;
        this.table = table;
        this.fence = fence;
        this.wanted = wanted;
        this.inUse = new UsageGate(table);
    }

    /**
     * The part of this volume; made, or with what its journal says of an earlier process, when it is first asked for.
     */
    StagedPart part(StagingVolume volume) throws IOException {
        synchronized (opening) {
            synchronized (this) {
                StagedPart part = parts.get(volume);
                if (part != null) {
                    return part;
                }
            }
            StagedPart.Opened opened = StagedPart.open(volume.folder(name()), table.id());
            synchronized (this) {
                parts.put(volume, opened.part());
                remember(opened);
            }
            return opened.part();
        }
    }

    private synchronized void remember(StagedPart.Opened opened) {
        for (Journal.Entry entry : opened.entries()) {
            if (entry instanceof Journal.Entry.Begun begun) {
                kept.put(begun.descriptor(), new Kept(opened.part(), begun.content(), false));
            } else if (entry instanceof Journal.Entry.Landed landed) {
                Kept sstable = kept.get(landed.descriptor());
                if (sstable != null) {
                    sstable.add(landed);
                }
            }
        }
    }

    public TableRef table() {
        return table;
    }

    UUID planId() {
        return planId;
    }

    /** A set of no SSTable is committed as well, and needs a place. */
    void requirePart() throws IOException {
        boolean isEmpty;
        synchronized (this) {
            isEmpty = parts.isEmpty();
        }
        if (isEmpty) {
            part(area.volumes().first());
        }
    }

    SetName name() {
        return SetName.of(planId, table.id());
    }

    /** Its folders, on whichever volumes. */
    synchronized List<SetFolder> folders() {
        return parts.values().stream().map(StagedPart::folder).toList();
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
     * and reserves room for what is missing.
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
        Kept taken = null;
        Descriptor descriptor = take(session, content);
        if (descriptor != null) {
            taken = kept(descriptor);
            Landing resumed = new Landing(offer, this, descriptor, held(descriptor, offer));
            try {
                taken.part.claims().reserve(descriptor, resumed.roomBytes());
                return resumed;
            } catch (StreamException full) {
                if (full.code() != ErrorCode.DISK_FULL || area.volumes().isAlone()) {
                    throw full;
                }
                LOG.info("{}: {} moves to another volume: {}", taken.part.folder(), descriptor, full.getMessage());
            }
        }
        Landing landing = landAnew(session, offer, content, fresh.get());
        if (taken != null) {
            giveBack(taken);
        }
        return landing;
    }

    private synchronized void giveBack(Kept sstable) {
        sstable.session = null;
    }

    /** On the first volume, in the order of {@link Placement}, that has room for it. */
    private Landing landAnew(UUID session, SSTableOffer offer, SSTableFingerprint content, Descriptor made)
            throws IOException {
        Landing landing = new Landing(offer, this, made, List.of());
        StreamException isFull = null;
        for (StagingVolume volume : area.placement(offer, wanted)) {
            try {
                StagedPart part = part(volume);
                part.claims().reserve(made, landing.roomBytes());
                Kept sstable = new Kept(part, content, true);
                sstable.session = session;
                part.append(new Journal.Entry.Begun(made, content));
                synchronized (this) {
                    kept.put(made, sstable);
                }
                return landing;
            } catch (StreamException full) {
                if (full.code() != ErrorCode.DISK_FULL) {
                    throw full;
                }
                isFull = isFull == null ? full : isFull;
            }
        }
        throw Objects.requireNonNull(isFull, "a volume, at least");
    }

    private synchronized @Nullable Descriptor take(UUID session, SSTableFingerprint content) {
        for (Map.Entry<Descriptor, Kept> entry : kept.entrySet()) {
            Kept sstable = entry.getValue();
            // What is staged counts for the session that staged it, also when that is over: nobody else may have it.
            if (sstable.session == null
                    && !staged.containsKey(entry.getKey())
                    && sstable.part.volume().isTrusted()
                    && sstable.content.equals(content)) {
                sstable.session = session;
                return entry.getKey();
            }
        }
        return null;
    }

    private List<StagedExtent> held(Descriptor descriptor, SSTableOffer offer) {
        List<Journal.Entry.Landed> claims = new ArrayList<>();
        Kept sstable = kept(descriptor);
        boolean isTrusted;
        synchronized (this) {
            isTrusted = sstable.isOfThisProcess;
            sstable.extents.values().forEach(extents -> claims.addAll(extents.values()));
        }
        List<StagedExtent> held = new ArrayList<>();
        for (Journal.Entry.Landed claim : claims) {
            if (isTrusted || sstable.part.isTrue(claim)) {
                held.add(new StagedExtent(
                        new Extent(offer.number(), claim.component(), claim.offset(), claim.lengthBytes()),
                        claim.crc32()));
            }
        }
        return held;
    }

    private synchronized Kept kept(Descriptor descriptor) {
        Kept sstable = kept.get(descriptor);
        if (sstable == null) {
            throw new IllegalStateException(descriptor + " does not land here");
        }
        return sstable;
    }

    /**
     * Opens one component for writing; made if it is not there. Closed by the caller.
     *
     * @throws io.sluice.streaming.StreamException of code {@link io.sluice.streaming.ErrorCode#DISK_FULL} instead of
     *     taking what is kept back for the database
     * @throws SetOverException if the set is not in use any more
     */
    public DiskFile open(Descriptor descriptor, Component component) throws IOException {
        return inUse.during(
                () -> kept(descriptor).part.open(descriptor, component, isFirstOpened(descriptor, component)));
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
        Kept sstable = kept(descriptor);
        synchronized (this) {
            if (sstable.add(landed)) {
                sstable.part.claims().landed(descriptor, extent.component(), extent.lengthBytes());
            }
        }
        inUse.during(() -> {
            sstable.part.append(landed);
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
        kept(descriptor).part.delete(descriptor, component);
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
        StagedPart part = kept(descriptor).part;
        boolean isSSTable = true;
        if (offer.choice().mode() == TransferMode.ROWS) {
            isSSTable = part.makeSSTable(area.check(), descriptor, offer, ranges, this::forget);
        } else {
            part.complete(descriptor, offer, this::forget);
        }
        if (isSSTable) {
            area.check().check(part.directory(), descriptor, offer, ranges);
        }
        area.epochs().ifNewest(fence, () -> fence);
        part.sync();
        if (isSSTable) {
            part.leaveCache(descriptor);
        }
        part.claims().release(descriptor);
        synchronized (this) {
            if (isSSTable && !unstaged.contains(session)) {
                staged.put(descriptor, session);
            }
        }
    }

    /** A session is over: its files may be used by another, its room, too; what it has staged stays staged. */
    public synchronized void release(UUID session) {
        kept.forEach((descriptor, sstable) -> {
            if (session.equals(sstable.session)) {
                sstable.session = null;
                sstable.part.claims().release(descriptor);
            }
        });
    }

    /** What a session has staged shall not become live: others send all of it again. */
    public synchronized void unstage(UUID session) {
        unstaged.add(session);
        staged.values().removeIf(session::equals);
    }

    /** A set that has passed the commit point, and where its commit file lies. */
    record Committed(SetFolder folder, CommitFile commit) {}

    /**
     * The commit point: when this returns, the set will become live, also if the process dies now.
     *
     * @throws io.sluice.streaming.StreamException of code {@link io.sluice.streaming.ErrorCode#FENCED} if a newer
     *     operation has taken over, DISCARDED if the permit was revoked; then nothing was done
     * @throws IOException if it cannot be made durable; then the set has not been committed
     */
    Committed commit(UUID installId, TableStore.Permit permit) throws IOException {
        return area.epochs().ifNewest(fence, () -> commitNow(installId, permit));
    }

    /** On several volumes: first what says on each that it is decided elsewhere, then the commit file. */
    private Committed commitNow(UUID installId, TableStore.Permit permit) throws IOException {
        Map<StagedPart, List<Descriptor>> byPart = stagedByPart();
        StagedPart home = byPart.keySet().iterator().next();
        List<Descriptor> sstables = new ArrayList<>();
        List<CommitFile.StagedFile> files = new ArrayList<>();
        for (Map.Entry<StagedPart, List<Descriptor>> entry : byPart.entrySet()) {
            StagedPart part = entry.getKey();
            part.folder().disk().syncDirectory(part.directory());
            sstables.addAll(entry.getValue());
            files.addAll(part.files(
                    entry.getValue(),
                    part == home ? Optional.empty() : part.volume().id()));
        }
        sstables.sort(Comparator.comparing(Descriptor::id));
        CommitFile commit = new CommitFile(installId, table.id(), sstables, files);
        byte[] bytes = commit.encode();
        if (permit.isRevoked()) {
            throw new StreamException(
                    ErrorCode.DISCARDED,
                    table + ": the database has revoked its permit to install; nothing was committed");
        }
        for (StagedPart part : byPart.keySet()) {
            if (part != home) {
                List<String> own = files.stream()
                        .filter(file -> file.volumeId().equals(part.volume().id()))
                        .map(CommitFile.StagedFile::name)
                        .toList();
                part.joins(new CommitPart(installId, home.volume().id().orElseThrow(), own));
            }
        }
        Disk disk = home.folder().disk();
        Path directory = home.directory();
        disk.publish(directory.resolve(CommitFile.COPY_NAME), bytes);
        committing = home;
        disk.publish(directory.resolve(CommitFile.NAME), bytes);
        return new Committed(home.folder(), commit);
    }

    /**
     * What is staged on each volume, at least one.
     *
     * @throws StreamException of code {@link ErrorCode#VOLUME_FAILED} if one of them is trusted no longer
     */
    private Map<StagedPart, List<Descriptor>> stagedByPart() throws IOException {
        Map<StagedPart, List<Descriptor>> byPart = new LinkedHashMap<>();
        synchronized (this) {
            for (StagedPart part : parts.values()) {
                List<Descriptor> own = staged.keySet().stream()
                        .filter(sstable -> kept(sstable).part == part)
                        .sorted(Comparator.comparing(Descriptor::id))
                        .toList();
                if (!own.isEmpty()) {
                    byPart.put(part, own);
                }
            }
        }
        if (byPart.isEmpty()) {
            byPart.put(anyPart(), List.of());
        }
        for (StagedPart part : byPart.keySet()) {
            part.volume().disk().requireTrust();
        }
        return byPart;
    }

    private synchronized StagedPart anyPart() {
        return parts.values().stream()
                .filter(part -> part.volume().isTrusted())
                .findFirst()
                .orElseGet(() -> parts.values().iterator().next());
    }

    /**
     * Whether its commit file may be on a volume that failed while it was written: then nobody can say before the next
     * start.
     */
    boolean mayBeCommitted() {
        StagedPart home = committing;
        return home != null && !home.volume().isTrusted();
    }

    /** How many SSTables are staged. */
    synchronized int stagedCount() {
        return staged.size();
    }

    /** Whether there is anything that a later attempt could use. */
    synchronized boolean isWorthKeeping(SetFolder folder) {
        return kept.values().stream()
                .anyMatch(sstable -> sstable.part.folder().equals(folder) && !sstable.extents.isEmpty());
    }

    /** Ends the use of the set by this process, when the steps that have begun are done; the files stay. */
    void close() throws IOException {
        inUse.end();
        List<StagedPart> all;
        synchronized (this) {
            all = List.copyOf(parts.values());
        }
        IOException failed = null;
        for (StagedPart part : all) {
            try {
                part.close();
            } catch (IOException e) {
                failed = e;
            }
        }
        if (failed != null) {
            throw failed;
        }
    }
}
