package io.sluice.streaming.install;

import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.log.SystemError;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A disk whose errors say which operation on which file failed, where, and why; and which is believed no longer when a
 * sync of names, of a journal or of a commit file has failed: a kernel counts what it could not write as written, so
 * that the next sync would succeed without it. Then nothing more is made durable, hence nothing acknowledged or
 * committed, until the process starts again. Thread-safe.
 */
final class WatchedDisk implements ForwardingDisk {
    /** How components are named, and while they are written. */
    private static final List<String> COMPONENTS = List.of(".db", ".db.tmp");

    private final Disk real;
    private final Consumer<String> onSuspicion;
    private final AtomicReference<@Nullable String> suspicion = new AtomicReference<>();

    /** @param onSuspicion told once why the disk is believed no longer */
    WatchedDisk(Disk real, Consumer<String> onSuspicion) {
        this.real = real;
        this.onSuspicion = onSuspicion;
    }

    @Override
    public Disk real() {
        return real;
    }

    /** Why it is believed no longer; empty if it is. */
    Optional<String> suspicion() {
        return Optional.ofNullable(suspicion.get());
    }

    /** Something on the disk. */
    private interface Operation<T> {
        T run() throws IOException;
    }

    private static <T> T named(String what, Path path, Operation<T> operation) throws IOException {
        try {
            return operation.run();
        } catch (IOException e) {
            throw named(what, path, e);
        }
    }

    private static IOException named(String what, Path path, IOException e) {
        String error = SystemError.of(e)
                .map(known -> " (" + known + "; " + known.advice() + ")")
                .orElse("");
        return new IOException(what + " " + path + ": " + e.getMessage() + error, e);
    }

    private <T> T synced(String what, Path path, boolean isVital, Operation<T> operation) throws IOException {
        requireTrust();
        try {
            return operation.run();
        } catch (IOException e) {
            IOException named = named(what, path, e);
            if (isVital && isOfTheDevice(e)) {
                suspect(String.valueOf(named.getMessage()));
            }
            throw named;
        }
    }

    /** A disk that is full, or a right that is missing, has lost nothing. */
    private static boolean isOfTheDevice(IOException e) {
        return SystemError.of(e)
                .map(known -> known == SystemError.EIO || known == SystemError.ESTALE)
                .orElse(true);
    }

    private void suspect(String why) {
        if (suspicion.compareAndSet(null, why)) {
            onSuspicion.accept(why);
        }
    }

    /** @throws IOException if what was synced may be lost, with the first reason */
    void requireTrust() throws IOException {
        String why = suspicion.get();
        if (why != null) {
            throw new IOException(
                    ErrorCode.DISK + ": nothing is believed of this volume until the node starts again, since: " + why);
        }
    }

    @Override
    public void createDirectories(Path directory) throws IOException {
        named("make", directory, () -> {
            real.createDirectories(directory);
            return directory;
        });
    }

    @Override
    public DiskFile create(Path file) throws IOException {
        return new Watched(file, named("create", file, () -> real.create(file)));
    }

    @Override
    public DiskFile open(Path file) throws IOException {
        return new Watched(file, named("open", file, () -> real.open(file)));
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
        named("link", newName, () -> {
            real.link(newName, file);
            return newName;
        });
    }

    @Override
    public void rename(Path from, Path to) throws IOException {
        named("rename", from, () -> {
            real.rename(from, to);
            return to;
        });
    }

    @Override
    public void delete(Path path) throws IOException {
        named("remove", path, () -> {
            real.delete(path);
            return path;
        });
    }

    @Override
    public List<Path> list(Path directory) throws IOException {
        return named("list", directory, () -> real.list(directory));
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
                throw named("write at " + position + " of", path, e);
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
