package io.sluice.streaming.install;

import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.log.SystemError;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A disk whose errors name the operation, the file, the place and the cause; it becomes untrusted when a sync of names,
 * of a journal or of a commit file has failed: a kernel counts what it could not write as written, so that the next
 * sync would succeed without it. Then nothing more is made durable, hence nothing acknowledged or committed, until the
 * process starts again.
 *
 * <p>Beside other volumes it is trusted no longer as soon as its device refuses to write: what was to land here then
 * lands on them. Alone it is asked again, since there is nothing else.
 *
 * <p>Thread-safe.
 */
final class WatchedDisk implements ForwardingDisk {
    /** How components are named, and while they are written. */
    private static final List<String> COMPONENTS = List.of(".db", ".db.tmp");

    /** What a device says that will not write again by itself. */
    private static final Set<SystemError> REFUSALS = EnumSet.of(SystemError.EIO, SystemError.EROFS, SystemError.ESTALE);

    private final Disk real;
    private final Path root;
    private final BooleanSupplier hasOthers;
    private final Consumer<String> onUntrusted;
    private final AtomicReference<@Nullable String> untrustedReason = new AtomicReference<>();

    /**
     * Trusted so far.
     *
     * @param root of staging: a volume without it is gone
     * @param hasOthers whether another volume could take what was to land here
     * @param onUntrusted notified once why the disk is untrusted
     */
    WatchedDisk(Disk real, Path root, BooleanSupplier hasOthers, Consumer<String> onUntrusted) {
        this.real = real;
        this.root = root;
        this.hasOthers = hasOthers;
        this.onUntrusted = onUntrusted;
    }

    @Override
    public Disk real() {
        return real;
    }

    /** Why it is untrusted; empty while it is trusted. */
    Optional<String> untrustedReason() {
        return Optional.ofNullable(untrustedReason.get());
    }

    /** Something on the disk. */
    private interface Operation<T> {
        T run() throws IOException;
    }

    /** What reads: a sector that cannot be read is one file's matter. */
    private static <T> T named(String what, Path path, Operation<T> operation) throws IOException {
        try {
            return operation.run();
        } catch (IOException e) {
            throw named(what, path, e);
        }
    }

    private static IOException named(String what, Path path, IOException e) {
        return new IOException(message(what, path, e), e);
    }

    private static String message(String what, Path path, IOException e) {
        return what + " " + path + ": " + e.getMessage()
                + SystemError.of(e)
                        .map(known -> " (" + known + "; " + known.advice() + ")")
                        .orElse("");
    }

    /** What changes files or names, or cannot do without them. */
    private <T> T written(String what, Path path, Operation<T> operation) throws IOException {
        try {
            return operation.run();
        } catch (IOException e) {
            throw failed(what, path, e, false);
        }
    }

    /** What to throw instead: if others can take over from this volume, it says so. */
    private IOException failed(String what, Path path, IOException e, boolean isLost) {
        String message = message(what, path, e);
        boolean isRefused = SystemError.of(e)
                .filter(error -> REFUSALS.contains(error) || (error == SystemError.ENOENT && !real.exists(root)))
                .isPresent();
        if (isLost || (isRefused && hasOthers.getAsBoolean())) {
            distrust(message);
        }
        return untrustedReason().isPresent() && hasOthers.getAsBoolean()
                ? moved(message, e)
                : new IOException(message, e);
    }

    /** The same files may be had on another volume. */
    private static IOException moved(String message, IOException cause) {
        return new IOException(message, new StreamException(ErrorCode.VOLUME_FAILED, message, cause));
    }

    private <T> T synced(String what, Path path, boolean isVital, Operation<T> operation) throws IOException {
        requireTrust();
        try {
            return operation.run();
        } catch (IOException e) {
            throw failed(what, path, e, isVital && isOfTheDevice(e));
        }
    }

    /** A disk that is full, or a right that is missing, has lost nothing. */
    private static boolean isOfTheDevice(IOException e) {
        return SystemError.of(e)
                .map(known -> known == SystemError.EIO || known == SystemError.ESTALE)
                .orElse(true);
    }

    private void distrust(String why) {
        if (untrustedReason.compareAndSet(null, why)) {
            onUntrusted.accept(why);
        }
    }

    /** @throws IOException if what was synced may be lost, with the first reason */
    void requireTrust() throws IOException {
        String why = untrustedReason.get();
        if (why != null) {
            String message = ErrorCode.DISK + ": this volume is untrusted until the node starts again, since: " + why;
            IOException untrusted = new IOException(message);
            throw hasOthers.getAsBoolean() ? moved(message, untrusted) : untrusted;
        }
    }

    @Override
    public void createDirectories(Path directory) throws IOException {
        written("make", directory, () -> {
            real.createDirectories(directory);
            return directory;
        });
    }

    @Override
    public DiskFile create(Path file) throws IOException {
        return new Watched(file, written("create", file, () -> real.create(file)));
    }

    @Override
    public DiskFile open(Path file) throws IOException {
        return new Watched(file, written("open", file, () -> real.open(file)));
    }

    @Override
    public byte[] read(Path file, int maxLengthBytes) throws IOException {
        return named("read", file, () -> real.read(file, maxLengthBytes));
    }

    @Override
    public long crc32(Path file, long offset, long lengthBytes) throws IOException {
        return named("read at " + offset + " of", file, () -> real.crc32(file, offset, lengthBytes));
    }

    @Override
    public long refresh(Path file, long offset, long lengthBytes) throws IOException {
        return named("rewrite at " + offset + " of", file, () -> real.refresh(file, offset, lengthBytes));
    }

    @Override
    public void syncFile(Path file) throws IOException {
        synced("sync", file, isVital(file), () -> {
            real.syncFile(file);
            return file;
        });
    }

    @Override
    public void syncDirectory(Path directory) throws IOException {
        synced("sync the names in", directory, true, () -> {
            real.syncDirectory(directory);
            return directory;
        });
    }

    @Override
    public void writeDurably(Path file, byte[] content) throws IOException {
        synced("write and sync", file, isVital(file), () -> {
            real.writeDurably(file, content);
            return file;
        });
    }

    @Override
    public void publish(Path file, byte[] content) throws IOException {
        synced("write, sync and name", file, isVital(file), () -> {
            real.publish(file, content);
            return file;
        });
    }

    @Override
    public Closeable lock(Path file) throws IOException {
        return named("lock", file, () -> real.lock(file));
    }

    @Override
    public void link(Path newName, Path file) throws IOException {
        written("link", newName, () -> {
            real.link(newName, file);
            return newName;
        });
    }

    @Override
    public void rename(Path from, Path to) throws IOException {
        written("rename", from, () -> {
            real.rename(from, to);
            return to;
        });
    }

    @Override
    public void delete(Path path) throws IOException {
        written("remove", path, () -> {
            real.delete(path);
            return path;
        });
    }

    @Override
    public List<Path> list(Path directory) throws IOException {
        return written("list", directory, () -> real.list(directory));
    }

    /** A component that cannot be synced is fetched, or written, again; all else decides about others. */
    private static boolean isVital(Path file) {
        return COMPONENTS.stream().noneMatch(file.toString()::endsWith);
    }

    private final class Watched implements DiskFile {
        private final Path path;
        private final DiskFile file;

        Watched(Path path, DiskFile file) {
            this.path = path;
            this.file = file;
        }

        @Override
        public int write(ByteBuffer bytes, long position) throws IOException {
            try { // the one that is called a thousand times for a GiB: no words unless they are needed
                return file.write(bytes, position);
            } catch (IOException e) {
                throw failed("write at " + position + " of", path, e, false);
            }
        }

        @Override
        public void sync() throws IOException {
            synced("sync", path, isVital(path), () -> {
                file.sync();
                return path;
            });
        }

        @Override
        public long size() throws IOException {
            return file.size();
        }

        @Override
        public void close() throws IOException {
            file.close();
        }
    }
}
