package io.sluice.streaming.engine.receive;

import io.sluice.streaming.install.DiskFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A component file while its bytes arrive. It is open while a connection writes to it, and afterwards until another
 * file needs its slot. Thread-safe for different parts of the file.
 */
final class LandingFile implements AutoCloseable {
    private final Opening opening;
    private final OpenFiles places;
    private final WriteBack.Debt debt;
    private final ReentrantLock lock = new ReentrantLock();
    /** The kernel lets one thread write to a file at a time; others would use a processor each to wait for it. */
    private final ReentrantLock writing = new ReentrantLock();

    private volatile @Nullable DiskFile file; // written under the lock
    private int users; // guarded by the lock
    private boolean isOver; // guarded by the lock

    /** Creates the file, or reopens it. */
    interface Opening {
        DiskFile open() throws IOException;
    }

    /** Creates a file that is not open yet. */
    LandingFile(Opening opening, OpenFiles places, WriteBack.Debt debt) {
        this.opening = opening;
        this.places = places;
        this.debt = debt;
    }

    /**
     * Begins to write, until {@link #leave}: opens the file if necessary, and waits for a slot.
     *
     * @throws IOException also if the file was closed
     */
    void enter() throws IOException {
        lock.lock();
        try {
            if (isOver) {
                throw new IOException("the session is over");
            }
            if (file == null) {
                open();
            }
            users++;
            places.busy(this);
        } finally {
            lock.unlock();
        }
    }

    private void open() throws IOException {
        places.take();
        try {
            DiskFile opened = opening.open();
            debt.opened(opened);
            file = opened;
        } finally {
            if (file == null) {
                places.release(this);
            }
        }
    }

    /** Ends writing by a caller of {@link #enter}. */
    void leave() {
        boolean isIdle;
        lock.lock();
        try {
            users--;
            isIdle = users == 0 && file != null;
        } finally {
            lock.unlock();
        }
        if (isIdle) {
            places.idle(this); // without the lock: the notified caller may take it at once
        }
    }

    /** Writes all of {@code bytes} at {@code position}; between entering and leaving. */
    void write(ByteBuffer bytes, long position) throws IOException {
        DiskFile open = file;
        if (open == null) {
            throw new IOException("the session is over");
        }
        int length = bytes.remaining();
        writing.lock();
        try {
            open.writeFully(bytes, position);
        } finally {
            writing.unlock();
        }
        debt.add(length);
    }

    /**
     * Closes the file temporarily, unless a connection is writing to it. Syncs it first: while the file is not open,
     * the kernel cannot report a write error to anyone.
     */
    void releaseSlot() {
        // Never wait for a file: its owner may be waiting for a slot, and will offer this one again.
        if (!lock.tryLock()) {
            return;
        }
        try {
            DiskFile open = file;
            if (users == 0 && open != null) {
                file = null;
                try {
                    debt.flush(open);
                } finally {
                    places.release(this);
                }
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Closes the file finally, after a running sync has ended.
     *
     * @throws IOException also if an earlier sync has failed: bytes may be lost
     */
    @Override
    public void close() throws IOException {
        lock.lock();
        try {
            isOver = true;
            DiskFile open = file;
            if (open == null) {
                debt.settle();
                return;
            }
            file = null;
            try (open) {
                debt.settle();
            } finally {
                places.release(this);
            }
        } finally {
            lock.unlock();
        }
    }
}
