package io.sluice.streaming.install;

import io.sluice.sstable.component.AttachedFile;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.log.SystemError;
import io.sluice.streaming.message.AttachedFiles;
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
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The SSTables of one table of one plan, from the first received byte to the live folder. They become live atomically.
 * Received extents are recorded by content: an offer of the same content, in the next attempt of the session or from
 * another source after a crash, need not be sent again. Long because receiving, staging and committing share this
 * record.
 *
 * <p>Thread-safe for different SSTables; calls for one SSTable, and {@link #commit}, must be sequential.
 */
public final class StagedSet {
    private static final Logger LOG = LoggerFactory.getLogger(StagedSet.class);

    private final StagingArea area;
    private final UUID planId;
    private final TableRef table;
    private final Fence fence;
    private final List<TableStore.Volume> wanted;
    private final UsageGate inUse;

    /** Locked before {@code this}, and held while a folder is created. */
    private final Object opening = new Object();

    /** Volumes that lately were too full for a part: others are tried before. */
    private final Set<StagingVolume> tooFull = ConcurrentHashMap.newKeySet();

    // Guarded by this.
    private final Map<StagingVolume, StagedPart> parts = new LinkedHashMap<>();
    // Also guarded by this. Ordered, so that a simulation run is the same in each process.
    private final Map<Descriptor, Kept> kept = new LinkedHashMap<>();
    private final Map<SSTableFingerprint, List<Descriptor>> byContent = new HashMap<>();
    private final Map<Descriptor, UUID> staged = new HashMap<>();
    private final AttachedLists attached = new AttachedLists(AttachedLists.MAX_BYTES);
    private final Set<UUID> unstaged = new HashSet<>();
    /** The part with the commit file, set before it is written. */
    private volatile @Nullable StagedPart committing;

    /** Received or arriving files of an SSTable: their extents, and the session that writes them. */
    private static final class Kept {
        final StagedPart part;
        final SSTableFingerprint content;
        final Map<Component, Map<Long, Journal.Entry.Landed>> extents = new EnumMap<>(Component.class);
        final Set<Component> opened = EnumSet.noneOf(Component.class);
        /** The CRC-32 of files that this node wrote itself. */
        final Map<Component, Long> ownCrc32s = new EnumMap<>(Component.class);

        final boolean isOfThisProcess;

        /** Whether an offer had its content: then a session may still write to its files. */
        boolean isMatched;

        @Nullable
        UUID session;

        Kept(StagedPart part, SSTableFingerprint content, boolean isOfThisProcess) {
            this.part = part;
            this.content = content;
            this.isOfThisProcess = isOfThisProcess;
        }

        boolean isUnmatched() {
            return !isOfThisProcess && !isMatched;
        }

        /** The received bytes; an estimate of what its files have. */
        long lengthBytes() {
            return extents.values().stream()
                    .flatMap(landed -> landed.values().stream())
                    .mapToLong(Journal.Entry.Landed::lengthBytes)
                    .sum();
        }

        /** Adds an extent; returns whether it was not recorded before. */
        boolean add(Journal.Entry.Landed landed) {
            return extents.computeIfAbsent(landed.component(), component -> new TreeMap<>())
                            .put(landed.offset(), landed)
                    == null;
        }
    }

    /**
     * Starts without received data.
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
     * The part on this volume; on first use it is created, or read from the journal of an earlier process.
     *
     * @throws StreamException of code {@link ErrorCode#DISK_FULL} if the volume is too full for it: another may not be
     */
    StagedPart part(StagingVolume volume) throws IOException {
        return part(volume, area.volumes().isAlone());
    }

    /**
     * @param mayRemove whether retained data may be removed, the oldest first, if the volume has no byte for a journal
     */
    private StagedPart part(StagingVolume volume, boolean mayRemove) throws IOException {
        synchronized (opening) {
            synchronized (this) {
                StagedPart part = parts.get(volume);
                if (part != null) {
                    return part;
                }
            }
            StagedPart.Opened opened = opened(volume, mayRemove);
            tooFull.remove(volume);
            synchronized (this) {
                parts.put(volume, opened.part());
                remember(opened);
            }
            return opened.part();
        }
    }

    private StagedPart.Opened opened(StagingVolume volume, boolean mayRemove) throws IOException {
        while (true) {
            try {
                volume.requireId();
                return written(() -> StagedPart.open(volume.folder(name()), table.id()));
            } catch (StreamException full) {
                if (full.code() != ErrorCode.DISK_FULL) {
                    throw full;
                }
                tooFull.add(volume);
                if (!mayRemove || volume.lacksId() || !volume.abandoned().removeNext()) {
                    throw full;
                }
            }
        }
    }

    /** As {@link #part}; returns false if the volume is too full for it: what it retains is then not used. */
    boolean hasPart(StagingVolume volume) throws IOException {
        try {
            part(volume);
            return true;
        } catch (StreamException full) {
            if (full.code() != ErrorCode.DISK_FULL) {
                throw full;
            }
            LOG.warn("{}: {} is received on other volumes: {}", volume, table, full.getMessage());
            return false;
        }
    }

    /** Reports a full disk or quota as a volume without enough space is reported: then another volume is tried. */
    private static <T> T written(UsageGate.Step<T> step) throws IOException {
        try {
            return step.run();
        } catch (IOException e) {
            if (SystemError.isFull(e)) {
                throw new StreamException(ErrorCode.DISK_FULL, String.valueOf(e.getMessage()), e);
            }
            throw e;
        }
    }

    private synchronized void remember(StagedPart.Opened opened) {
        for (Journal.Entry entry : opened.entries()) {
            if (entry instanceof Journal.Entry.Begun begun) {
                keep(begun.descriptor(), new Kept(opened.part(), begun.content(), false));
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

    /** Creates a part if there is none: a set without SSTables is committed, too. */
    void requirePart() throws IOException {
        boolean isEmpty;
        synchronized (this) {
            isEmpty = parts.isEmpty();
        }
        if (!isEmpty) {
            return;
        }
        for (StagingVolume volume : area.volumes().trusted()) {
            if (hasPart(volume)) {
                return;
            }
        }
        part(area.volumes().first()); // no volume has space: throws
    }

    SetName name() {
        return SetName.of(planId, table.id());
    }

    /** Its folders on all volumes. */
    synchronized List<SetFolder> folders() {
        return parts.values().stream().map(StagedPart::folder).toList();
    }

    /**
     * The files into which an offered SSTable is received. Immutable.
     *
     * @param held its retained extents, each byte read and checked
     */
    public record Landing(SSTableOffer offer, StagedSet set, Descriptor descriptor, List<StagedExtent> held) {
        public Landing {
            held = List.copyOf(held);
        }

        /** The disk space of each file: received rows temporarily exist twice, also as an SSTable. */
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
            // Attached files are unpacked, and their container file is kept until the set is live.
            room.computeIfPresent(
                    Component.ATTACHED,
                    (component, missing) -> missing
                            + offer.manifest(component)
                                    .map(ComponentManifest::lengthBytes)
                                    .orElse(0L));
            return room;
        }
    }

    /** Creates unused names. */
    public interface NewDescriptor {
        Descriptor get() throws IOException;
    }

    /**
     * Finds retained files with the content of an offer that no other session uses, or names new ones, and reserves
     * space for the missing bytes. If no volume has enough, first removes retained sets of other plans, then also
     * retained files of this set that have matched no offer so far: an offer that would have matched them is then sent.
     * Removes nothing that would not be enough.
     *
     * @param session owner of the files and the reservation until {@link #release}
     * @param step called before each retained extent that is read and checked; an exception ends the call, and the
     *     files stay those of {@code session}
     * @throws StreamException of code {@link ErrorCode#DISK_FULL}, with the numbers, if there is not enough space
     * @throws SetOverException if the set is no longer in use
     * @throws IOException if the disk fails; unreadable retained bytes are only forgotten
     */
    public Landing land(UUID session, SSTableOffer offer, NewDescriptor fresh, Runnable step) throws IOException {
        return inUse.during(() -> landNow(session, offer, fresh, step));
    }

    /** As the other one, without steps. */
    public Landing land(UUID session, SSTableOffer offer, NewDescriptor fresh) throws IOException {
        return land(session, offer, fresh, () -> {});
    }

    private Landing landNow(UUID session, SSTableOffer offer, NewDescriptor fresh, Runnable step) throws IOException {
        SSTableFingerprint content = SSTableFingerprint.of(offer);
        Kept taken = null;
        Descriptor descriptor = take(session, content);
        if (descriptor != null) {
            taken = kept(descriptor);
            Landing resumed = new Landing(offer, this, descriptor, held(descriptor, offer, step));
            try {
                Removable upTo = area.volumes().isAlone() ? Removable.UNMATCHED_TOO : Removable.OF_OTHER_PLANS;
                taken.part.claims().reserve(descriptor, resumed.roomBytes(), removable(taken.part, upTo));
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

    /** Retained data that may be removed for space: of each value, that of the values before, too. */
    private enum Removable {
        NOTHING,
        OF_OTHER_PLANS,
        UNMATCHED_TOO
    }

    private List<RetainedData> removable(StagedPart part, Removable upTo) {
        RetainedData others = part.volume().abandoned();
        return switch (upTo) {
            case NOTHING -> List.of();
            case OF_OTHER_PLANS -> List.of(others);
            case UNMATCHED_TOO -> List.of(others, new Unmatched(part));
        };
    }

    /** The SSTables of a part that an earlier attempt has left, and that have matched no offer so far. */
    private final class Unmatched implements RetainedData {
        private final StagedPart part;

        Unmatched(StagedPart part) {
            this.part = part;
        }

        private Map<Descriptor, Kept> sstables() {
            Map<Descriptor, Kept> unmatched = new LinkedHashMap<>(kept);
            unmatched.values().removeIf(sstable -> sstable.part != part || !sstable.isUnmatched());
            return unmatched;
        }

        @Override
        public long bytes() {
            synchronized (StagedSet.this) {
                return sstables().values().stream().mapToLong(Kept::lengthBytes).sum();
            }
        }

        @Override
        public boolean removeNext() {
            Descriptor first;
            synchronized (StagedSet.this) {
                Iterator<Descriptor> all = sstables().keySet().iterator();
                if (!all.hasNext()) {
                    return false;
                }
                first = all.next();
                kept.remove(first);
                byContent.values().forEach(names -> names.remove(first));
            }
            try {
                part.remove(first);
                LOG.info("{}: removed {} of an earlier attempt: its space is needed", part.folder(), first);
            } catch (IOException e) {
                LOG.warn("{}: cannot remove {} of an earlier attempt: {}", part.folder(), first, e.getMessage(), e);
            }
            return true;
        }
    }

    /**
     * Uses the first volume, in the order of {@link VolumePlacement}, with enough space; if there is none, the first
     * with enough when retained data of other plans is removed; then when unmatched SSTables are, too; last one that
     * was too full for a part of this set.
     */
    private Landing landAnew(UUID session, SSTableOffer offer, SSTableFingerprint content, Descriptor made)
            throws IOException {
        StreamException isFull = null;
        Set<StagingVolume> triedLast = Set.copyOf(tooFull); // each try reads the journal of what it retains
        for (Removable upTo : Removable.values()) {
            isFull = null; // the numbers of the last try count
            for (StagingVolume volume : area.placement(offer, wanted)) {
                if (triedLast.contains(volume)) {
                    continue;
                }
                try {
                    return landOn(volume, upTo, session, offer, content, made);
                } catch (StreamException full) {
                    isFull = first(isFull, full);
                }
            }
        }
        for (StagingVolume volume : area.placement(offer, wanted)) {
            if (triedLast.contains(volume)) {
                try {
                    return landOn(volume, Removable.UNMATCHED_TOO, session, offer, content, made);
                } catch (StreamException full) {
                    isFull = first(isFull, full);
                }
            }
        }
        throw Objects.requireNonNull(isFull, "at least one volume");
    }

    /** The exception to report if no volume has space. */
    private static StreamException first(@Nullable StreamException earlier, StreamException full) {
        if (full.code() != ErrorCode.DISK_FULL) {
            throw full;
        }
        return earlier == null ? full : earlier;
    }

    private Landing landOn(
            StagingVolume volume,
            Removable upTo,
            UUID session,
            SSTableOffer offer,
            SSTableFingerprint content,
            Descriptor made)
            throws IOException {
        Landing landing = new Landing(offer, this, made, List.of());
        StagedPart part = part(volume, area.volumes().isAlone() || upTo == Removable.UNMATCHED_TOO);
        part.claims().reserve(made, landing.roomBytes(), removable(part, upTo));
        Kept sstable = new Kept(part, content, true);
        sstable.session = session;
        begin(part, new Journal.Entry.Begun(made, content));
        keep(made, sstable);
        return landing;
    }

    /** Journals a name whose space is reserved; if that fails, releases the space: no session would. */
    private static void begin(StagedPart part, Journal.Entry.Begun begun) throws IOException {
        try {
            written(() -> {
                part.append(begun);
                return begun;
            });
        } catch (IOException | RuntimeException | Error e) {
            part.claims().release(begun.descriptor());
            throw e;
        }
    }

    private synchronized void keep(Descriptor descriptor, Kept sstable) {
        kept.put(descriptor, sstable);
        byContent.computeIfAbsent(sstable.content, content -> new ArrayList<>()).add(descriptor);
    }

    private synchronized @Nullable Descriptor take(UUID session, SSTableFingerprint content) {
        for (Descriptor descriptor : byContent.getOrDefault(content, List.of())) {
            Kept sstable = kept(descriptor);
            // A staged SSTable stays with its session even after the session: no other session may use it.
            if (sstable.session == null
                    && !staged.containsKey(descriptor)
                    && sstable.part.volume().isTrusted()
                    && sstable.content.equals(content)) { // a name that a journal has twice has the last content
                sstable.session = session;
                sstable.isMatched = true;
                return descriptor;
            }
        }
        return null;
    }

    private List<StagedExtent> held(Descriptor descriptor, SSTableOffer offer, Runnable step) {
        List<Journal.Entry.Landed> claims = new ArrayList<>();
        Kept sstable = kept(descriptor);
        boolean isTrusted;
        synchronized (this) {
            isTrusted = sstable.isOfThisProcess;
            sstable.extents.values().forEach(extents -> claims.addAll(extents.values()));
        }
        List<StagedExtent> held = new ArrayList<>();
        for (Journal.Entry.Landed claim : claims) {
            step.run();
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
            throw new IllegalStateException(descriptor + " is not received into this set");
        }
        return sstable;
    }

    /**
     * Opens one component for writing; creates it if necessary. Closed by the caller.
     *
     * @throws io.sluice.streaming.StreamException of code {@link io.sluice.streaming.ErrorCode#DISK_FULL} if it would
     *     use the headroom of the database
     * @throws SetOverException if the set is no longer in use
     */
    public DiskFile open(Descriptor descriptor, Component component) throws IOException {
        return inUse.during(
                () -> kept(descriptor).part.open(descriptor, component, isFirstOpened(descriptor, component)));
    }

    /** Records that the file is opened; returns whether it cannot exist yet, so that the disk need not be asked. */
    private synchronized boolean isFirstOpened(Descriptor descriptor, Component component) {
        Kept sstable = kept.get(descriptor);
        return sstable != null && sstable.isOfThisProcess && sstable.opened.add(component);
    }

    /**
     * Journals a written extent with its checksum.
     *
     * @throws SetOverException if the set is no longer in use
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

    /** Forgets the received extents of a corrupt file. */
    public synchronized void forget(Descriptor descriptor, Component component) {
        Kept sstable = kept.get(descriptor);
        if (sstable != null) {
            sstable.extents.remove(component);
        }
    }

    /**
     * Handles a failed sync of a file: the lost pages would not be written by the next sync either, which would
     * succeed. The file is removed and fetched again.
     */
    public void lose(Descriptor descriptor, Component component) throws IOException {
        forget(descriptor, component);
        kept(descriptor).part.delete(descriptor, component);
    }

    /**
     * Makes a received SSTable durable, name and content, and checks it.
     *
     * @param session the owner of the SSTable
     * @param step called after each part of the work; must not throw
     * @return its Data.db; empty if rows without content were received, which make no SSTable
     * @throws io.sluice.streaming.StreamException if it differs from the offer or exceeds the requested ranges, if a
     *     newer operation fences it, if its table was dropped, or if too many files are attached to the set
     * @throws SetOverException if the set is no longer in use
     * @throws IOException if the disk fails or the SSTable cannot be opened
     */
    public Optional<Path> stage(UUID session, Descriptor descriptor, SSTableOffer offer, Wanted wish, Runnable step)
            throws IOException {
        area.requireTable(table);
        return inUse.during(() -> stageNow(session, descriptor, offer, wish, step));
    }

    /** Stages an SSTable that keeps its level. */
    public void stage(UUID session, Descriptor descriptor, SSTableOffer offer, TokenRanges ranges) throws IOException {
        stage(session, descriptor, offer, new Wanted(ranges, true), () -> {});
    }

    /**
     * The requirements of a plan for an SSTable.
     *
     * @param ranges the requested ranges
     * @param keepsLevel whether it keeps its level of leveled compaction; otherwise the level becomes 0
     */
    public record Wanted(TokenRanges ranges, boolean keepsLevel) {}

    private Optional<Path> stageNow(UUID session, Descriptor descriptor, SSTableOffer offer, Wanted wish, Runnable step)
            throws IOException {
        TokenRanges ranges = wish.ranges();
        StagedPart part = kept(descriptor).part;
        boolean isSSTable = true;
        AttachedFiles beside = part.unpack(area.check(), descriptor, offer, step);
        requireIndexes(offer, beside);
        if (offer.choice().mode() == TransferMode.ROWS) {
            isSSTable = part.makeSSTable(area.check(), descriptor, offer, ranges, this::forget, step);
        } else {
            List<AttachedFile> files =
                    beside.files().stream().map(AttachedFiles.Entry::file).toList();
            Bytes toc = part.complete(descriptor, offer, files, isFirstOpened(descriptor, Component.TOC), this::forget);
            wrote(descriptor, Component.TOC, toc);
        }
        step.run();
        if (isSSTable) {
            Optional<Bytes> atLevelZero = area.check().check(part.directory(), descriptor, offer, ranges);
            if (atLevelZero.isPresent() && !wish.keepsLevel()) {
                part.replaceStatistics(descriptor, atLevelZero.get(), this::forget);
                wrote(descriptor, Component.STATISTICS, atLevelZero.get());
            }
        }
        step.run();
        area.epochs().requireNewest(fence);
        part.sync();
        if (isSSTable) {
            part.leaveCache(descriptor);
        }
        part.claims().release(descriptor);
        synchronized (this) {
            if (isSSTable && !unstaged.contains(session)) {
                attached.put(descriptor, beside);
                staged.put(descriptor, session);
            }
        }
        return isSSTable ? Optional.of(part.file(descriptor, Component.DATA)) : Optional.empty();
    }

    private synchronized void wrote(Descriptor descriptor, Component component, Bytes content) {
        CRC32 crc = new CRC32();
        crc.update(content.toArray());
        kept(descriptor).ownCrc32s.put(component, crc.getValue());
    }

    /** Checks missing indexes: the source knows from the start of the session whether this node builds them. */
    private void requireIndexes(SSTableOffer offer, AttachedFiles beside) {
        if (!beside.indexes().isEmpty() && !area.buildsIndexes()) {
            throw new StreamException(
                    ErrorCode.PROTOCOL,
                    offer.source() + ": received without the files of its indexes " + beside.indexes()
                            + ", which this node does not build");
        }
        if (!beside.files().isEmpty() && offer.choice().mode() != TransferMode.WHOLE) {
            throw new StreamException(
                    ErrorCode.PROTOCOL,
                    offer.source() + ": a part of it has attached files that apply to the whole SSTable, "
                            + beside.files().get(0).file());
        }
    }

    /** A session is over: releases its files and reservation for other sessions; staged SSTables stay staged. */
    public synchronized void release(UUID session) {
        kept.forEach((descriptor, sstable) -> {
            if (session.equals(sstable.session)) {
                sstable.session = null;
                sstable.part.claims().release(descriptor);
            }
        });
    }

    /** Discards what a session has staged: other sources send all of it again. */
    public synchronized void unstage(UUID session) {
        unstaged.add(session);
        staged.values().removeIf(session::equals);
        attached.retain(staged.keySet());
    }

    /** A committed set, and the folder of its commit file. */
    record Committed(SetFolder folder, CommitFile commit) {}

    /**
     * The commit point: when this returns, the set will become live, even if the process dies.
     *
     * @throws io.sluice.streaming.StreamException of code {@link io.sluice.streaming.ErrorCode#FENCED} if a newer
     *     operation fences the set, DISCARDED if the permit was revoked, LIMIT if the commit file would be too long;
     *     then nothing was committed
     * @throws IOException if the commit cannot be made durable; then the set is not committed
     */
    Committed commit(UUID installId, TableStore.Permit permit) throws IOException {
        return area.epochs().ifNewest(fence, () -> commitNow(installId, permit));
    }

    /** Writes the commit file; with several volumes, first the notes on the others. */
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
                    attachedFiles(entry.getValue()),
                    crc32s(entry.getValue()),
                    part == home ? Optional.empty() : part.volume().id()));
        }
        sstables.sort(Comparator.comparing(Descriptor::id));
        CommitFile commit = new CommitFile(installId, table.id(), sstables, files, indexes(sstables));
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

    private synchronized Map<Descriptor, List<AttachedFile>> attachedFiles(List<Descriptor> sstables) {
        Map<Descriptor, List<AttachedFile>> files = new HashMap<>();
        sstables.forEach(sstable -> files.put(sstable, attached.files(sstable)));
        return files;
    }

    /**
     * The checksums of received files, which were checked, and of those that this node wrote, by file name. Of an
     * SSTable made of rows none is known: it is not read again for them.
     */
    private synchronized Map<String, Long> crc32s(List<Descriptor> sstables) {
        Map<String, Long> crc32s = new HashMap<>();
        for (Descriptor sstable : sstables) {
            Kept files = kept(sstable);
            files.content.components().forEach(file -> crc32s.put(sstable.fileName(file.component()), file.crc32()));
            files.ownCrc32s.forEach((component, crc32) -> crc32s.put(sstable.fileName(component), crc32));
            attached.entries(sstable).forEach(entry -> crc32s.put(sstable.fileName(entry.file()), entry.crc32()));
        }
        return crc32s;
    }

    private synchronized SortedSet<String> indexes(List<Descriptor> sstables) {
        return attached.indexes(sstables);
    }

    /**
     * The staged SSTables of each volume; at least one part.
     *
     * @throws StreamException of code {@link ErrorCode#VOLUME_FAILED} if one of the volumes is untrusted
     */
    Map<StagedPart, List<Descriptor>> stagedByPart() throws IOException {
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
     * Whether the volume failed during the write of the commit file: then the outcome is unknown until the next start.
     */
    boolean mayBeCommitted() {
        StagedPart home = committing;
        return home != null && !home.volume().isTrusted();
    }

    /** The number of staged SSTables. */
    synchronized int stagedCount() {
        return staged.size();
    }

    /** Whether a later attempt could use something of the folder. */
    synchronized boolean isWorthKeeping(SetFolder folder) {
        return kept.values().stream()
                .anyMatch(sstable -> sstable.part.folder().equals(folder) && !sstable.extents.isEmpty());
    }

    /** Ends the use of the set by this process, after running steps; the files stay. */
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
