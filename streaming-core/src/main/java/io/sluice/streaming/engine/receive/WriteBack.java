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
 * Syncs received bytes in steps, in the background of the receiving threads, so that the last sync of a file is short
 * and the dirty pages of a node stay bounded. Receiving threads wait for the disk only when the bound is reached; then
 * the socket slows the sender down.
 *
 * <p>A sync from another thread is the portable substitute for {@code sync_file_range}.
 *
 * <p>Thread-safe.
 */
final class WriteBack {
    /** Large enough for efficient writes, small enough to keep the disk busy from the start. */
    private static final long STEP_BYTES = 8 << 20;

    private final Executor threads;
    private final long maxDirtyBytes;
    private final AtomicLong dirtyBytes = new AtomicLong();

    /** @param maxDirtyBytes maximum of written and not yet synced bytes over all files */
    WriteBack(Executor threads, long maxDirtyBytes) {
        this.threads = threads;
        this.maxDirtyBytes = maxDirtyBytes;
    }

    /** The written and not yet synced bytes of one file. */
    final class Debt {
        private final Consumer<IOException> onError;
        private final AtomicLong unsyncedBytes = new AtomicLong();
        private final ReentrantLock syncing = new ReentrantLock();

        private volatile @Nullable DiskFile file; // null while the file is not open
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
            if (isSettled) { // meanwhile the session ended: these would stay counted
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
                dirtyBytes.addAndGet(-bytes); // already synced by a temporary or final close
                return;
            }
            try {
                open.sync();
            } catch (IOException e) {
                // The kernel reports lost bytes to one sync only: the next one would succeed.
                failure = e;
                throw e;
            } finally {
                dirtyBytes.addAndGet(-bytes);
            }
        }

        /**
         * Syncs the remaining bytes, and closes {@code open}. An error is kept for {@link #settle}, and reported to the
         * error listener.
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
         * Waits for a running sync; none begins afterwards. The caller syncs the rest of the file.
         *
         * @throws IOException if any sync has failed, even if a later one succeeded
         */
        void settle() throws IOException {
            syncing.lock();
            try {
                file = null;
                isSettled = true;
                dirtyBytes.addAndGet(-unsyncedBytes.getAndSet(0));
                IOException earlier = failure;
                if (earlier != null) {
                    throw new IOException("an earlier sync failed: " + earlier.getMessage(), earlier);
                }
            } finally {
                syncing.unlock();
            }
        }
    }

    /** The number of written and not yet synced bytes. */
    QueueSample sample() {
        return new QueueSample("dirty", "bytes", dirtyBytes.get(), maxDirtyBytes);
    }

    /** Tracks a file that is not open yet. */
    Debt debt(Consumer<IOException> onError) {
        return new Debt(onError);
    }
}
