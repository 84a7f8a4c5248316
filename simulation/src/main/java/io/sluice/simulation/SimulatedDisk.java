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
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.StreamSupport;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/**
 * A disk that does what real ones do: it forgets what was not synced when power goes, in any mixture; fills up;
 * refuses; and says of lost bytes only once that they are lost. Paths are names only; the real file system is not
 * touched. Long because it has all operations of {@link Disk} and all that may go wrong in each.
 */
final class SimulatedDisk implements Disk {
    private final SplittableRandom random;
    private final SimulatedDirectory root = new SimulatedDirectory();
    /** Taken apart once each: every operation walks from the root. */
    private final Map<Path, List<String>> namesOfPaths = new HashMap<>();

    private long capacityBytes = Long.MAX_VALUE;
    private double failing;
    private long crashAfter = Long.MAX_VALUE;
    private long operations;
    private final Set<Path> locked = new HashSet<>();
    /** Those that fail on their own; none if there is one. */
    private List<Path> volumes = List.of();

    private final Set<Path> gone = new HashSet<>();
    private final Set<Path> failingSyncs = new HashSet<>();
    private final Map<Path, Long> limits = new HashMap<>();
    private boolean isCrashed;
    private final List<Path> openFiles = new ArrayList<>();

    SimulatedDisk(SplittableRandom random) {
        this.random = random;
    }

    /** From now on each operation fails with this probability, and no more bytes fit than these. */
    void injectFaults(double probability, long capacity) {
        failing = probability;
        capacityBytes = capacity;
    }

    /** The process dies at the n-th operation from now on, before it is done. */
    void crashAfter(long n) {
        crashAfter = operations + n;
    }

    /** Ends whatever a process does that has just died. */
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

    /** The process is gone; with {@code powerToo}, so is what was not synced. */
    void die(boolean powerToo) {
        crashAfter = Long.MAX_VALUE;
        isCrashed = false;
        locked.clear();
        openFiles.clear();
        if (powerToo) {
            root.losePower(random);
        }
    }

    /** Whether the process has died of an operation, and has not been buried yet: whatever it does now does nothing. */
    boolean isCrashed() {
        return isCrashed;
    }

    /** From now on these are volumes: nothing can be linked or renamed from one to another, and each may fail. */
    void divide(List<Path> roots) {
        volumes = List.copyOf(roots);
    }

    private Optional<Path> volume(Path path) {
        return volumes.stream().filter(path::startsWith).findFirst();
    }

    boolean isGone(Path root) {
        return gone.contains(root);
    }

    /** Each operation on it fails until {@link #heal}; what lies there is there again then. */
    void lose(Path root) {
        gone.add(root);
    }

    void heal(Path root) {
        gone.remove(root);
        failingSyncs.remove(root);
    }

    void failNextSync(Path root) {
        failingSyncs.add(root);
    }

    /** How many bytes fit on a volume. */
    void limit(Path root, long bytes) {
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
        if (random.nextDouble() < failing) {
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

    private SimulatedDirectory directory(Path path) throws IOException {
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
            if (capacity(path) < Long.MAX_VALUE && usedBytes(path) + length > capacity(path)) {
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

    /** A byte of a file goes bad. */
    void damage(Path path) throws IOException {
        byte[] content = file(path).content();
        content[random.nextInt(content.length)] ^= 0x10;
    }

    boolean hasBytes(Path path) {
        return node(path) instanceof SimulatedFile file && file.length() > 0;
    }

    /** What a file holds, for the oracle. */
    byte[] content(Path file) throws IOException {
        return file(file).content().clone();
    }

    /** What a file would hold after a loss of power. */
    byte[] durable(Path file) throws IOException {
        return file(file).durable();
    }

    /** Whether what a file holds would be there after a loss of power; names are not looked at. */
    boolean isDurable(Path path) throws IOException {
        SimulatedFile file = file(path);
        return Arrays.equals(file.content(), file.durable());
    }

    /** Whether this name, and those of the directories that lead to it, would be there after a loss of power. */
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

    /** The entries of a directory, without faults: for the oracle, and the database's own files. */
    List<Path> listQuietly(Path directory) throws IOException {
        return directory(directory).names().keySet().stream()
                .map(directory::resolve)
                .toList();
    }

    /** The database puts an SSTable of its own in place, without faults. */
    void placeDurably(Path directory, Descriptor descriptor, Map<Component, byte[]> files) throws IOException {
        SimulatedDirectory live = directory(directory);
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

    /** The database removes all that is in a directory, without faults. */
    void emptyDurably(Path path) throws IOException {
        SimulatedDirectory directory = directory(path);
        List.copyOf(directory.names().keySet()).forEach(directory::remove);
        directory.sync();
    }

    /** A directory that was there before streaming began. */
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
        return 0; // no share of it is kept back: the fixed headroom alone counts
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
        }
    }

    @Override
    public List<Path> list(Path directory) throws IOException {
        operate("list", directory);
        if (!(node(directory) instanceof SimulatedDirectory found)) {
            return List.of();
        }
        return found.names().keySet().stream().map(directory::resolve).toList();
    }
}
