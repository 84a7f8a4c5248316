package io.sluice.simulation;

import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import io.sluice.streaming.install.Disk;
import io.sluice.streaming.install.DiskFile;
import io.sluice.streaming.install.FileIdentity;
import io.sluice.streaming.install.StagingLimits;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.stream.StreamSupport;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/**
 * A disk that fails like real ones: at a power loss it loses any subset of what was not synced; it fills up; operations
 * fail; and it reports lost bytes only once. Paths are names only; the real file system is not touched. Long because it
 * has all operations of {@link Disk}, and every fault of each.
 */
final class SimulatedDisk implements Disk {
    private final SplittableRandom random;
    private final SimulatedDirectory root = new SimulatedDirectory();
    /** Caches split paths: every operation walks from the root. */
    private final Map<Path, List<String>> namesOfPaths = new HashMap<>();

    private long capacityBytes = Long.MAX_VALUE;
    private double failing;
    private long crashAfter = Long.MAX_VALUE;
    private long operations;
    private final Set<Path> locked = new HashSet<>();
    /** Volumes that fail independently; empty if there is only one. */
    private List<Path> volumes = List.of();

    private final Set<Path> gone = new HashSet<>();
    private final Set<Path> failingSyncs = new HashSet<>();
    private final Map<Path, Long> limits = new HashMap<>();
    private boolean isCrashed;
    private int syncsUntilFailure;
    private final List<Path> openFiles = new ArrayList<>();

    private final SimulatedHeadroom headroom = new SimulatedHeadroom(path -> node(path) != null);
    private Consumer<Path> onDelete = path -> {};
    private Consumer<Path> onHeadroomTaken = path -> {};

    SimulatedDisk(SplittableRandom random) {
        this.random = random;
    }

    /** From now on each operation fails with this probability, and the disk has room for this many more bytes. */
    void injectFaults(double probability, long capacity) {
        failing = probability;
        if (capacity < Long.MAX_VALUE) { // room is asked of the whole disk meanwhile
            volumes.forEach(headroom::shrinks);
        }
        capacityBytes = capacity;
    }

    /** Kills the process at the n-th operation from now on, before the operation is done. */
    void crashAfter(long n) {
        crashAfter = operations + n;
    }

    /** Throws if the process has died, to end whatever it still does. */
    void requireAlive() {
        if (isCrashed) {
            throw new Crash();
        }
    }

    List<Path> openFiles() {
        return List.copyOf(openFiles);
    }

    long operations() {
        return operations;
    }

    /** The process is dead; with {@code powerToo}, what was not synced is lost. */
    void die(boolean powerToo) {
        crashAfter = Long.MAX_VALUE;
        isCrashed = false;
        headroom.forget();
        locked.clear();
        openFiles.clear();
        if (powerToo) {
            root.losePower(random);
        }
    }

    /** Whether the process has died of an operation and still runs: none of its operations has an effect. */
    boolean isCrashed() {
        return isCrashed;
    }

    /** Divides the disk into volumes: nothing can be linked or renamed between them, and each may fail. */
    void divide(List<Path> roots) {
        volumes = List.copyOf(roots);
    }

    private Optional<Path> volume(Path path) {
        return volumes.stream().filter(path::startsWith).findFirst();
    }

    /** Sets a listener that is called after a file name was removed, though perhaps not durably. */
    void onDelete(Consumer<Path> listener) {
        onDelete = listener;
    }

    /** Sets a listener that is called when received files take the headroom of a volume. */
    void onHeadroomTaken(Consumer<Path> listener) {
        onHeadroomTaken = listener;
    }

    boolean isGone(Path root) {
        return gone.contains(root);
    }

    /** Makes each operation on the volume fail until {@link #heal}; its files are there again then. */
    void lose(Path root) {
        gone.add(root);
    }

    void heal(Path root) {
        gone.remove(root);
        failingSyncs.remove(root);
    }

    /** Makes one of the next syncs fail, unless faults have stopped by then. */
    void failSyncAfter(int syncs) {
        syncsUntilFailure = syncs;
    }

    void failNextSync(Path root) {
        failingSyncs.add(root);
    }

    /** Sets how many bytes fit on a volume. */
    void limit(Path root, long bytes) {
        headroom.shrinks(root);
        limits.put(root, bytes);
    }

    private void requireVolume(String what, Path path) throws IOException {
        Optional<Path> root = volume(path);
        if (root.isPresent() && gone.contains(root.get())) {
            throw new IOException("injected: " + what + " " + path + ": Input/output error");
        }
        if (root.isPresent() && what.equals("fsync") && failingSyncs.remove(root.get())) {
            throw new IOException("injected: " + what + " " + path + ": Input/output error");
        }
    }

    private void requireSameVolume(Path one, Path other) throws IOException {
        if (!volume(one).equals(volume(other))) {
            throw new IOException(one + ", " + other + ": Invalid cross-device link");
        }
    }

    private long capacity(Path path) {
        return volume(path)
                .map(root -> limits.getOrDefault(root, Long.MAX_VALUE))
                .orElse(Long.MAX_VALUE);
    }

    private long usedBytes(Path path) {
        Optional<Path> root = volume(path);
        return root.isPresent() && node(root.get()) instanceof SimulatedDirectory directory
                ? usedBytes(directory)
                : usedBytes(this.root);
    }

    private void operate(String what, Path path) throws IOException {
        if (++operations >= crashAfter) {
            isCrashed = true;
        }
        requireAlive();
        requireVolume(what, path);
        boolean isDrawn = what.equals("fsync") && --syncsUntilFailure == 0 && failing > 0;
        if (random.nextDouble() < failing || isDrawn) {
            throw new Injected.Fault(what + " " + path + ": Input/output error");
        }
    }

    private List<String> names(Path path) {
        return namesOfPaths.computeIfAbsent(
                path,
                any -> StreamSupport.stream(path.normalize().spliterator(), false)
                        .map(Path::toString)
                        .toList());
    }

    private @Nullable Object node(Path path) {
        return node(names(path));
    }

    private @Nullable Object node(List<String> names) {
        Object node = root;
        for (String name : names) {
            if (!(node instanceof SimulatedDirectory directory)) {
                return null;
            }
            node = directory.get(name);
        }
        return node;
    }

    /** A directory, without faults. */
    SimulatedDirectory directory(Path path) throws IOException {
        if (node(path) instanceof SimulatedDirectory directory) {
            return directory;
        }
        throw new NoSuchFileException(path.toString());
    }

    private SimulatedFile file(Path path) throws IOException {
        if (node(path) instanceof SimulatedFile file) {
            return file;
        }
        throw new NoSuchFileException(path.toString());
    }

    private SimulatedDirectory parent(Path path) throws IOException {
        List<String> names = names(path);
        if (node(names.subList(0, names.size() - 1)) instanceof SimulatedDirectory directory) {
            return directory;
        }
        throw new NoSuchFileException("" + path.getParent());
    }

    private String name(Path path) {
        List<String> names = names(path);
        return names.get(names.size() - 1);
    }

    @Override
    public void createDirectories(Path directory) throws IOException {
        operate("mkdir", directory);
        SimulatedDirectory at = root;
        for (String name : names(directory)) {
            Object next = at.get(name);
            if (next == null) {
                next = new SimulatedDirectory();
                at.put(name, next);
            }
            if (!(next instanceof SimulatedDirectory child)) {
                throw new FileAlreadyExistsException(directory.toString());
            }
            at = child;
        }
    }

    @Override
    public DiskFile create(Path file) throws IOException {
        operate("create", file);
        if (node(file) != null) {
            throw new FileAlreadyExistsException(file.toString());
        }
        SimulatedFile made = new SimulatedFile();
        parent(file).put(name(file), made);
        if (capacityBytes == Long.MAX_VALUE) {
            volume(file).ifPresent(volume -> headroom.begins(volume, file));
        }
        return new Handle(file, made);
    }

    @Override
    public DiskFile open(Path file) throws IOException {
        operate("open", file);
        return new Handle(file, file(file));
    }

    private final class Handle implements DiskFile {
        private final Path path;
        private final SimulatedFile file;
        private boolean isClosed;

        Handle(Path path, SimulatedFile file) {
            this.path = path;
            this.file = file;
            openFiles.add(path);
        }

        @Override
        public int write(ByteBuffer bytes, long position) throws IOException {
            operate("write", path);
            if (isClosed) {
                throw new IOException(path + " is closed");
            }
            int length = bytes.remaining() > 1 && random.nextInt(8) == 0 ? bytes.remaining() / 2 : bytes.remaining();
            if (capacityBytes < Long.MAX_VALUE && usedBytes(root) + length > capacityBytes) {
                throw new IOException(path + ": No space left on device");
            }
            long excess = capacity(path) < Long.MAX_VALUE ? usedBytes(path) + length - capacity(path) : 0;
            long growth = Math.max(0, position + length - file.length());
            volume(path).ifPresent(volume -> {
                headroom.grows(volume, path, growth, Math.max(0, position - file.length()));
                if (excess > 0 && headroom.isTakenBy(volume, path, excess - length + growth)) {
                    onHeadroomTaken.accept(path);
                }
            });
            if (excess > 0) {
                throw new IOException(path + ": No space left on device");
            }
            byte[] part = new byte[length];
            bytes.get(part);
            file.write(Math.toIntExact(position), part);
            return length;
        }

        @Override
        public void sync() throws IOException {
            SimulatedDisk.this.sync(path, file);
        }

        @Override
        public long size() {
            return file.length();
        }

        @Override
        public void close() {
            if (!isClosed && !isCrashed) {
                isClosed = true;
                openFiles.remove(path);
            }
        }
    }

    private void sync(Path path, SimulatedFile file) throws IOException {
        try {
            operate("fsync", path);
        } catch (IOException e) {
            file.failSync();
            throw e;
        }
        file.sync();
    }

    private static long usedBytes(SimulatedDirectory directory) {
        long used = 0;
        for (Object node : directory.names().values()) {
            used += node instanceof SimulatedDirectory child ? usedBytes(child) : ((SimulatedFile) node).length();
        }
        return used;
    }

    @Override
    public byte[] read(Path file, int maxLengthBytes) throws IOException {
        operate("read", file);
        return content(file);
    }

    /** Changes a byte of a file. */
    void damage(Path path) throws IOException {
        byte[] content = file(path).content();
        content[random.nextInt(content.length)] ^= 0x10;
    }

    boolean hasBytes(Path path) {
        return node(path) instanceof SimulatedFile file && file.length() > 0;
    }

    /** The content of a file, for the oracle. */
    byte[] content(Path file) throws IOException {
        return file(file).content().clone();
    }

    /** The content of a file after a power loss. */
    byte[] durable(Path file) throws IOException {
        return file(file).durable();
    }

    /** Whether the content of a file would survive a power loss; ignores names. */
    boolean isDurable(Path path) throws IOException {
        SimulatedFile file = file(path);
        return Arrays.equals(file.content(), file.durable());
    }

    /** Whether this name, and the names of its parent directories, would survive a power loss. */
    boolean isNameDurable(Path path) {
        Object node = root;
        for (String name : names(path)) {
            if (!(node instanceof SimulatedDirectory directory)
                    || directory.durableNames().get(name) != directory.get(name)) {
                return false;
            }
            node = directory.get(name);
        }
        return node != null;
    }

    /** The names in a directory, in order, without faults. */
    Set<String> namesIn(Path directory) throws IOException {
        return Collections.unmodifiableSet(directory(directory).names().keySet());
    }

    /** The entries of a directory, without faults: for the oracle, and the database's own files. */
    List<Path> listQuietly(Path directory) throws IOException {
        return directory(directory).names().keySet().stream()
                .map(directory::resolve)
                .toList();
    }

    /** The database writes an SSTable of its own, without faults. */
    void placeDurably(Path directory, Descriptor descriptor, Map<Component, byte[]> files) throws IOException {
        SimulatedDirectory live = directory(directory);
        volume(directory).ifPresent(headroom::shrinks);
        files.forEach((component, bytes) -> place(live, descriptor.fileName(component), bytes));
        place(live, descriptor.fileName(Component.TOC), new byte[] {1});
        live.sync();
    }

    private static void place(SimulatedDirectory directory, String name, byte[] bytes) {
        SimulatedFile file = new SimulatedFile();
        file.write(0, bytes);
        file.sync();
        directory.put(name, file);
    }

    /** The database removes an SSTable, without faults. */
    void removeDurably(Path directory, Descriptor descriptor) throws IOException {
        SimulatedDirectory live = directory(directory);
        for (Component component : Component.values()) {
            live.remove(descriptor.fileName(component));
        }
        live.sync();
    }

    /** The database empties a directory, without faults. */
    void emptyDurably(Path path) throws IOException {
        SimulatedDirectory directory = directory(path);
        List.copyOf(directory.names().keySet()).forEach(directory::remove);
        directory.sync();
    }

    /** Creates a directory that existed before streaming began. */
    void makeDurably(Path directory) {
        SimulatedDirectory at = root;
        for (String name : names(directory)) {
            if (at.get(name) == null) {
                at.put(name, new SimulatedDirectory());
            }
            at.sync();
            at = (SimulatedDirectory) Objects.requireNonNull(at.get(name));
        }
    }

    @Override
    public long crc32(Path file, long offset, long lengthBytes) throws IOException {
        operate("read", file);
        byte[] content = content(file);
        if (offset + lengthBytes > content.length) {
            throw new EOFException(file.toString());
        }
        CRC32 crc = new CRC32();
        crc.update(content, Math.toIntExact(offset), Math.toIntExact(lengthBytes));
        return crc.getValue();
    }

    @Override
    public long refresh(Path path, long offset, long lengthBytes) throws IOException {
        long crc32 = crc32(path, offset, lengthBytes);
        SimulatedFile file = file(path);
        int from = Math.toIntExact(offset);
        file.write(from, Arrays.copyOfRange(file.content(), from, from + Math.toIntExact(lengthBytes)));
        return crc32;
    }

    @Override
    public boolean exists(Path path) {
        return node(path) != null;
    }

    @Override
    public boolean isDirectory(Path path) {
        return node(path) instanceof SimulatedDirectory;
    }

    @Override
    public long size(Path file) throws IOException {
        return file(file).length();
    }

    @Override
    public long modifiedMillis(Path file) {
        return operations;
    }

    @Override
    public FileIdentity identity(Path path) throws IOException {
        SimulatedFile file = file(path);
        return new FileIdentity(file.length(), Instant.EPOCH, file);
    }

    @Override
    public long volumeBytes(Path directory) {
        return 0; // no relative headroom: only the fixed headroom counts
    }

    @Override
    public long usableBytes(Path directory) {
        if (capacity(directory) < Long.MAX_VALUE && capacityBytes == Long.MAX_VALUE) {
            return StagingLimits.DEFAULTS.headroomBytes() + Math.max(0, capacity(directory) - usedBytes(directory));
        }
        return capacityBytes == Long.MAX_VALUE
                ? 1L << 50
                : StagingLimits.DEFAULTS.headroomBytes() + capacityBytes - usedBytes(root);
    }

    @Override
    public Closeable lock(Path file) throws IOException {
        operate("lock", file);
        if (!locked.add(file)) {
            throw new IOException(file + ": locked");
        }
        return () -> locked.remove(file);
    }

    @Override
    public void syncFile(Path file) throws IOException {
        sync(file, file(file));
    }

    @Override
    public void syncDirectory(Path directory) throws IOException {
        operate("fsync", directory);
        directory(directory).sync();
    }

    @Override
    public void writeDurably(Path file, byte[] content) throws IOException {
        try (DiskFile made = create(file)) {
            made.writeFully(ByteBuffer.wrap(content), 0);
            made.sync();
        }
    }

    @Override
    public void link(Path newName, Path file) throws IOException {
        operate("link", newName);
        requireSameVolume(newName, file);
        if (node(newName) != null) {
            throw new FileAlreadyExistsException(newName.toString());
        }
        parent(newName).put(name(newName), file(file));
    }

    @Override
    public void rename(Path from, Path to) throws IOException {
        operate("rename", from);
        requireSameVolume(from, to);
        Object moved = node(from);
        if (moved == null) {
            throw new NoSuchFileException(from.toString());
        }
        SimulatedDirectory source = parent(from);
        SimulatedDirectory target = parent(to);
        if (source == target) {
            source.rename(name(from), name(to), moved);
        } else {
            source.move(name(from), target, name(to), moved);
        }
    }

    @Override
    public void delete(Path path) throws IOException {
        operate("delete", path);
        Object node = node(path);
        if (node instanceof SimulatedDirectory directory && !directory.names().isEmpty()) {
            throw new IOException(path + ": Directory not empty");
        }
        if (node != null) {
            parent(path).remove(name(path));
            onDelete.accept(path);
        }
    }

    @Override
    public List<Path> list(Path directory) throws IOException {
        operate("list", directory);
        Object node = node(directory);
        if (node == null) {
            return List.of();
        }
        if (!(node instanceof SimulatedDirectory found)) {
            throw new IOException(directory + ": a file (expected: a directory)");
        }
        return found.names().keySet().stream().map(directory::resolve).toList();
    }
}
