package io.sluice.streaming.install;

import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.log.SystemError;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A disk whose errors name the operation, the file, the position and the cause. It becomes untrusted when a sync of
 * names, of a journal or of a commit file fails: the kernel considers unwritten pages written, so the next sync would
 * succeed without them. Then nothing more is made durable, acknowledged or committed until the process restarts.
 *
 * <p>If there are other volumes, it also becomes untrusted when its device refuses a write: files are then received on
 * the others. A single volume is retried, because there is no alternative.
 *
 * <p>Thread-safe.
 */
final class WatchedDisk implements ForwardingDisk {
    /** Errors of a device that does not recover by itself. */
    private static final Set<SystemError> REFUSALS = EnumSet.of(SystemError.EIO, SystemError.EROFS, SystemError.ESTALE);

    private final Disk real;
    private final Path root;
    private final BooleanSupplier hasOthers;
    private final Consumer<String> onUntrusted;
    private final AtomicReference<@Nullable String> untrustedReason = new AtomicReference<>();
    private final AtomicInteger running = new AtomicInteger();

    /**
     * Starts trusted.
     *
     * @param root the staging directory: if it is missing, the volume is gone
     * @param hasOthers whether another volume can be used instead
     * @param onUntrusted notified once why the disk became untrusted
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

    /** The number of operations in progress: those that wait for this disk. */
    int running() {
        return running.get();
    }

    /** A call of the disk. */
    private interface DiskCall<T> {
        T run() throws IOException;
    }

    private <T> T counted(DiskCall<T> operation) throws IOException {
        running.incrementAndGet();
        try {
            return operation.run();
        } finally {
            running.decrementAndGet();
        }
    }

    /** Performs a read: an unreadable sector affects one file only. */
    private <T> T named(String what, Path path, DiskCall<T> operation) throws IOException {
        try {
            return counted(operation);
        } catch (IOException e) {
            throw isGone(e) ? failed(what, path, e, false) : new SystemError.Explained(message(what, path, e), e);
        }
    }

    /** Whether the whole staging directory is missing, not only one file. */
    private boolean isGone(IOException e) {
        return SystemError.of(e).filter(SystemError.ENOENT::equals).isPresent()
                && !real.exists(StagingVolume.behindLink(root));
    }

    private static String message(String what, Path path, IOException e) {
        return what + " " + path + ": " + (isClosed(e) ? closed(e) : e.getMessage())
                + SystemError.of(e)
                        .map(known -> " (" + known + "; " + known.advice() + ")")
                        .orElse("");
    }

    /** Whether the thread was interrupted, or another use of the file was, and the JDK has closed the file. */
    private static boolean isClosed(IOException e) {
        return e instanceof ClosedChannelException;
    }

    private static String closed(IOException e) {
        return e instanceof ClosedByInterruptException ? "the thread was interrupted" : "the file is closed";
    }

    /** Performs a change of files or names, or an operation that depends on the directory. */
    private <T> T written(String what, Path path, DiskCall<T> operation) throws IOException {
        try {
            return counted(operation);
        } catch (IOException e) {
            throw failed(what, path, e, false);
        }
    }

    /** The exception to throw: of code VOLUME_FAILED if other volumes can be used instead. */
    private IOException failed(String what, Path path, IOException e, boolean isLost) {
        String message = message(what, path, e);
        boolean isRefused =
                isGone(e) || SystemError.of(e).filter(REFUSALS::contains).isPresent();
        if (isLost || (isRefused && hasOthers.getAsBoolean())) {
            distrust(message);
        }
        return untrustedReason().isPresent() && hasOthers.getAsBoolean()
                ? moved(message, e)
                : new SystemError.Explained(message, e);
    }

    /** The failure if the files can be received on another volume. */
    private static IOException moved(String message, IOException cause) {
        return new IOException(message, new StreamException(ErrorCode.VOLUME_FAILED, message, cause));
    }

    private <T> T synced(String what, Path path, boolean isVital, DiskCall<T> operation) throws IOException {
        requireTrust();
        try {
            return counted(operation);
        } catch (IOException e) {
            throw failed(what, path, e, isVital && isOfTheDevice(e));
        }
    }

    /** Whether the device failed; a full disk, a missing permission or an interruption is no failure of the device. */
    private static boolean isOfTheDevice(IOException e) {
        return !isClosed(e)
                && SystemError.of(e)
                        .map(known -> known == SystemError.EIO || known == SystemError.ESTALE)
                        .orElse(true);
    }

    private void distrust(String why) {
        if (untrustedReason.compareAndSet(null, why)) {
            onUntrusted.accept(why);
        }
    }

    /** @throws IOException if synced data may be lost, with the first reason */
    void requireTrust() throws IOException {
        String why = untrustedReason.get();
        if (why != null) {
            String message = ErrorCode.DISK + ": this volume is untrusted until the node restarts: " + why;
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
    public long size(Path file) throws IOException {
        return named("ask for the size of", file, () -> real.size(file));
    }

    @Override
    public long modifiedMillis(Path file) throws IOException {
        return named("ask for the age of", file, () -> real.modifiedMillis(file));
    }

    @Override
    public FileIdentity identity(Path file) throws IOException {
        return named("identify", file, () -> real.identity(file));
    }

    @Override
    public long usableBytes(Path directory) throws IOException {
        return written("ask for the room of", directory, () -> real.usableBytes(directory));
    }

    @Override
    public long volumeBytes(Path directory) throws IOException {
        return written("ask for the size of", directory, () -> real.volumeBytes(directory));
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

    /** Whether a failed sync of the file makes the volume untrusted; a component is only fetched or written again. */
    private static boolean isVital(Path file) {
        String name = file.toString();
        return !name.endsWith(".db") && !name.endsWith(".db.tmp");
    }

    private final class Watched implements ForwardingFile {
        private final Path path;
        private final DiskFile real;

        Watched(Path path, DiskFile real) {
            this.path = path;
            this.real = real;
        }

        @Override
        public DiskFile real() {
            return real;
        }

        @Override
        public int write(ByteBuffer bytes, long position) throws IOException {
            running.incrementAndGet();
            try { // called a thousand times per GiB: build the message only if it is needed
                return real.write(bytes, position);
            } catch (IOException e) {
                throw failed("write at " + position + " of", path, e, false);
            } finally {
                running.decrementAndGet();
            }
        }

        @Override
        public void sync() throws IOException {
            synced("sync", path, isVital(path), () -> {
                real.sync();
                return path;
            });
        }
    }
}
