package io.sluice.streaming.engine.receive;

import io.sluice.streaming.install.DiskFile;
import io.sluice.streaming.progress.StreamActivity.QueueSample;
import java.io.IOException;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Makes landed bytes durable in steps, behind the back of the receiving threads: so the last sync of a file has little
 * left to do, and the dirty pages of a node stay bounded. Who lands a byte never waits for the disk, unless the disk is
 * so far behind that the bound is reached; then the sender feels it through the socket.
 *
 * <p>The portable substitute for {@code sync_file_range}: a sync of the file from another thread.
 *
 * <p>Thread-safe.
 */
final class WriteBack {
    /** Long enough to let the disk work in peace, short enough to keep it busy from the start. */
    private static final long STEP_BYTES = 8 << 20;

    private final Executor threads;
    private final long maxDirtyBytes;
    private final AtomicLong dirtyBytes = new AtomicLong();

    /** @param maxDirtyBytes landed and not yet synced, over all files */
    WriteBack(Executor threads, long maxDirtyBytes) {
        this.threads = threads;
        this.maxDirtyBytes = maxDirtyBytes;
    }

    /** What of one file is landed and not yet synced. */
    final class Debt {
        private final Consumer<IOException> onError;
        private final AtomicLong unsyncedBytes = new AtomicLong();
        private final ReentrantLock syncing = new ReentrantLock();

        private volatile @Nullable DiskFile file; // null while it is not open
        private volatile @Nullable IOException failure;
        private volatile boolean isSettled;

        private Debt(Consumer<IOException> onError) {
            this.onError = onError;
        }

        /** The file is open, for the first time or again. */
        void opened(DiskFile next) {
            file = next;
        }

        /** Counts bytes that were just written. */
        void add(long bytes) throws IOException {
            boolean isFull = dirtyBytes.addAndGet(bytes) > maxDirtyBytes;
            boolean isStep = unsyncedBytes.addAndGet(bytes) >= STEP_BYTES;
            if (isSettled) { // meanwhile: the session is over, and nobody else would take these off
                dirtyBytes.addAndGet(-unsyncedBytes.getAndSet(0));
                return;
            }
            if (!isStep && !isFull) {
                return;
            }
            long now = unsyncedBytes.getAndSet(0);
            if (isFull) {
                sync(now);
            } else {
                threads.execute(() -> syncBehind(now));
            }
        }

        private void syncBehind(long bytes) {
            syncing.lock();
            try {
                sync(bytes);
            } catch (IOException e) {
                onError.accept(e);
            } finally {
                syncing.unlock();
            }
        }

        private void sync(long bytes) throws IOException {
            DiskFile open = file;
            if (open == null) {
                dirtyBytes.addAndGet(-bytes); // synced when it was closed for now; or whole, and synced as such
                return;
            }
            try {
                open.sync();
            } catch (IOException e) {
                // Only one sync is notified of bytes that the disk has lost: the next one would succeed.
                failure = e;
                throw e;
            } finally {
                dirtyBytes.addAndGet(-bytes);
            }
        }

        /**
         * Syncs what is left, and closes {@code open}. An error is kept for who settles, and reported to the listener
         * of errors.
         */
        void flush(DiskFile open) {
            syncing.lock();
            try (open) {
                sync(unsyncedBytes.getAndSet(0));
            } catch (IOException e) {
                failure = e;
                onError.accept(e);
            } finally {
                file = null;
                syncing.unlock();
            }
        }

        /**
         * Waits for a sync that is running; none begins afterwards. Somebody else takes care of the rest of the file.
         *
         * @throws IOException if any sync has failed, even if others succeeded since
         */
        void settle() throws IOException {
            syncing.lock();
            try {
                file = null;
                isSettled = true;
                dirtyBytes.addAndGet(-unsyncedBytes.getAndSet(0));
                IOException earlier = failure;
                if (earlier != null) {
                    throw new IOException("an earlier sync has failed: " + earlier.getMessage(), earlier);
                }
            } finally {
                syncing.unlock();
            }
        }
    }

    /** What is landed and not synced now. */
    QueueSample sample() {
        return new QueueSample("dirty", "bytes", dirtyBytes.get(), maxDirtyBytes);
    }

    /** Watches over a file that is not open yet. */
    Debt debt(Consumer<IOException> onError) {
        return new Debt(onError);
    }
}
