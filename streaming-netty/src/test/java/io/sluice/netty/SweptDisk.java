package io.sluice.netty;

import io.sluice.streaming.install.Disk;
import io.sluice.streaming.install.DiskFile;
import io.sluice.streaming.install.ForwardingDisk;
import io.sluice.streaming.install.ForwardingFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** A disk of which, once it is armed, the n-th operation of a kind fails, and no other. */
final class SweptDisk implements ForwardingDisk {
    /** How an operation fails. */
    enum Fault {
        EIO,
        ENOSPC,
        /** Of a write: half of it is taken; then the disk says that it is full. */
        SHORT_WRITE,
        /** Of a sync: what it was to make durable may be lost. */
        FAILED_SYNC,
        /** The buffer that the operation needs cannot be allocated. */
        NO_MEMORY
    }

    private enum Kind {
        READ,
        WRITE,
        SYNC,
        NAME
    }

    private final Disk real;
    private final AtomicInteger left = new AtomicInteger();
    private volatile Fault fault = Fault.EIO;
    private volatile boolean isShort;

    SweptDisk(Disk real) {
        this.real = real;
    }

    /** From now on the n-th operation that {@code fault} may befall fails. */
    void arm(Fault next, int n) {
        fault = next;
        isShort = false;
        left.set(n);
    }

    void disarm() {
        if (left.get() > 0) {
            left.set(Integer.MAX_VALUE);
        }
    }

    boolean hasFired() {
        return left.get() <= 0;
    }

    private boolean isNow(Kind kind) {
        boolean isMeant = switch (fault) {
            case EIO, NO_MEMORY -> true;
            case ENOSPC -> kind != Kind.READ;
            case SHORT_WRITE -> kind == Kind.WRITE;
            case FAILED_SYNC -> kind == Kind.SYNC;
        };
        return isMeant && left.getAndUpdate(n -> n > 0 ? n - 1 : n) == 1;
    }

    private void operate(Kind kind, String what, Path path) throws IOException {
        if (isNow(kind)) {
            fail(what + " " + path);
        }
    }

    private void fail(String what) throws IOException {
        switch (fault) {
            case EIO, FAILED_SYNC -> throw new IOException("Input/output error (injected: " + what + ")");
            case ENOSPC, SHORT_WRITE -> throw new IOException("No space left on device (injected: " + what + ")");
            case NO_MEMORY -> throw new OutOfMemoryError("Direct buffer memory (injected: " + what + ")");
        }
    }

    @Override
    public Disk real() {
        return real;
    }

    @Override
    public void createDirectories(Path directory) throws IOException {
        operate(Kind.NAME, "make", directory);
        real.createDirectories(directory);
    }

    @Override
    public DiskFile create(Path file) throws IOException {
        operate(Kind.NAME, "create", file);
        return swept(file, real.create(file));
    }

    @Override
    public DiskFile open(Path file) throws IOException {
        operate(Kind.NAME, "open", file);
        return swept(file, real.open(file));
    }

    private DiskFile swept(Path path, DiskFile file) {
        return new ForwardingFile() {
            @Override
            public DiskFile real() {
                return file;
            }

            @Override
            public int write(ByteBuffer bytes, long position) throws IOException {
                if (isShort) {
                    isShort = false;
                    fail("write " + path);
                }
                if (isNow(Kind.WRITE)) {
                    if (fault != Fault.SHORT_WRITE) {
                        fail("write " + path);
                    }
                    isShort = true;
                    ByteBuffer half = bytes.duplicate();
                    half.limit(half.position() + half.remaining() / 2);
                    int written = ForwardingFile.super.write(half, position);
                    bytes.position(bytes.position() + written);
                    return written;
                }
                return ForwardingFile.super.write(bytes, position);
            }

            @Override
            public void sync() throws IOException {
                operate(Kind.SYNC, "sync", path);
                ForwardingFile.super.sync();
            }
        };
    }

    @Override
    public byte[] read(Path file, int maxLengthBytes) throws IOException {
        operate(Kind.READ, "read", file);
        return real.read(file, maxLengthBytes);
    }

    @Override
    public long crc32(Path file, long offset, long lengthBytes) throws IOException {
        operate(Kind.READ, "read", file);
        return real.crc32(file, offset, lengthBytes);
    }

    @Override
    public long refresh(Path file, long offset, long lengthBytes) throws IOException {
        operate(Kind.WRITE, "rewrite", file);
        return real.refresh(file, offset, lengthBytes);
    }

    @Override
    public long size(Path file) throws IOException {
        operate(Kind.READ, "size of", file);
        return real.size(file);
    }

    @Override
    public long usableBytes(Path directory) throws IOException {
        operate(Kind.READ, "room of", directory);
        return real.usableBytes(directory);
    }

    @Override
    public long volumeBytes(Path directory) throws IOException {
        operate(Kind.READ, "volume of", directory);
        return real.volumeBytes(directory);
    }

    @Override
    public void syncFile(Path file) throws IOException {
        operate(Kind.SYNC, "sync", file);
        real.syncFile(file);
    }

    @Override
    public void syncDirectory(Path directory) throws IOException {
        operate(Kind.SYNC, "sync", directory);
        real.syncDirectory(directory);
    }

    @Override
    public void writeDurably(Path file, byte[] content) throws IOException {
        operate(Kind.WRITE, "write", file);
        if (isNow(Kind.SYNC)) {
            real.writeDurably(file, content);
            fail("sync " + file);
        }
        real.writeDurably(file, content);
    }

    @Override
    public void link(Path newName, Path file) throws IOException {
        operate(Kind.NAME, "link", newName);
        real.link(newName, file);
    }

    @Override
    public void rename(Path from, Path to) throws IOException {
        operate(Kind.NAME, "rename", from);
        real.rename(from, to);
    }

    @Override
    public void delete(Path path) throws IOException {
        operate(Kind.NAME, "remove", path);
        real.delete(path);
    }

    @Override
    public List<Path> list(Path directory) throws IOException {
        operate(Kind.READ, "list", directory);
        return real.list(directory);
    }
}
