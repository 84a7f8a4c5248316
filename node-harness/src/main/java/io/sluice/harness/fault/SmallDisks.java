package io.sluice.harness.fault;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The small disks of one run, by node name. None outlives the run: the end of the run closes this, on any thread, and
 * no disk can be mounted afterwards. Thread-safe.
 */
public final class SmallDisks implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SmallDisks.class);

    @GuardedBy("this")
    private final Map<String, SmallDisk> disks = new LinkedHashMap<>();

    @GuardedBy("this")
    private boolean closed;

    /**
     * Mounts a disk on the folder of a node, unless it has one.
     *
     * @throws IOException if mounting fails, or this is closed
     */
    public synchronized void mount(String node, Path folder, long bytes) throws IOException, InterruptedException {
        if (closed) {
            throw new IOException("the run has ended: cannot mount a disk at " + folder);
        }
        if (!disks.containsKey(node)) {
            disks.put(node, SmallDisk.mount(folder, bytes));
        }
    }

    /** Whether this node has a disk. */
    public synchronized boolean has(String node) {
        return disks.containsKey(node);
    }

    /** All disks. */
    public synchronized Map<String, SmallDisk> all() {
        return Map.copyOf(disks);
    }

    /** Unmounts all disks and loses their content; nodes that use them have ended by then, or are ending. */
    @Override
    public synchronized void close() {
        closed = true;
        disks.forEach((node, disk) -> {
            try {
                disk.close();
            } catch (IOException e) {
                LOG.warn("cannot unmount the disk of {}, the next run here removes it: {}", node, e.getMessage());
            }
        });
        disks.clear();
    }
}
