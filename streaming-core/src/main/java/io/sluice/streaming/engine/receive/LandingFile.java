package io.sluice.streaming.engine.receive;

import io.sluice.streaming.install.DiskFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A component file while its bytes arrive. Open while somebody lands in it, and after that until another file needs its
 * place. Thread-safe for different parts of the file.
 */
final class LandingFile implements AutoCloseable {
    private final Opening opening;
    private final OpenFiles places;
    private final WriteBack.Debt debt;
    private final ReentrantLock lock = new ReentrantLock();
    private volatile @Nullable DiskFile file; // written under the lock
    private int users; // guarded by the lock
    private boolean isOver; // guarded by the lock

    /** Makes the file, or opens it again. */
    interface Opening {
        DiskFile open() throws IOException;
    }

    /** Not open yet. */
    LandingFile(Opening opening, OpenFiles places, WriteBack.Debt debt) {
        this.opening = opening;
        this.places = places;
        this.debt = debt;
    }

    /**
     * Somebody begins to land in it, and will {@link #leave}: opens it if it is not; waits for a place.
     *
     * @throws IOException also if it was closed
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

    /** Who has entered lands no more. */
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
            places.idle(this); // without the lock: who is notified of it may want it at once
        }
    }

    /** Writes all of {@code bytes} at {@code position}; between entering and leaving. */
    void write(ByteBuffer bytes, long position) throws IOException {
        DiskFile open = file;
        if (open == null) {
            throw new IOException("the session is over");
        }
        int length = bytes.remaining();
        open.writeFully(bytes, position);
        debt.add(length);
    }

    /**
     * Closes the file for now, unless somebody lands in it. What has landed is on the disk by then: while nobody has
     * the file open, the kernel can report to nobody that it could not be written.
     */
    void releaseSlot() {
        // Never waits for a file: its owner may be waiting for a place, and will offer this one again.
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
     * Closes the file for good, when no sync of it is running any more.
     *
     * @throws IOException also if a sync has failed before: then bytes may be lost
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
