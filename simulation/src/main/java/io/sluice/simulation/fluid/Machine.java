package io.sluice.simulation.fluid;

import io.sluice.streaming.ring.Node;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/** A node of the model: what it has, and its disk threads. Not thread-safe. */
final class Machine {
    private static final int DISK_THREADS = 16;

    final Node node;
    final String name;
    final Resource nicOut;
    final Resource nicIn;
    final Resource diskRead;
    final Resource diskWrite;
    final Resource cores;
    final Resource throttle;
    private final Clock clock;
    private final Deque<Work> waiting = new ArrayDeque<>();
    private int busy;
    boolean isDead;

    private record Work(double seconds, Runnable onDone) {}

    Machine(Node node, Hardware hardware, Clock clock) {
        this.node = node;
        this.name = node.name();
        this.clock = clock;
        this.nicOut = new Resource("network of " + name + ", out", hardware.nic());
        this.nicIn = new Resource("network of " + name + ", in", hardware.nic());
        this.diskRead = new Resource("disk of " + name + ", reading", hardware.diskRead());
        this.diskWrite = new Resource("disk of " + name + ", writing", hardware.diskWrite());
        this.cores = new Resource("cores of " + name, hardware.cores());
        this.throttle = new Resource("throttle of " + name, hardware.throttle());
    }

    List<Resource> resources() {
        return List.of(nicOut, nicIn, diskRead, diskWrite, cores, throttle);
    }

    /** Something that takes a disk thread so long. */
    void onDisk(double seconds, Runnable onDone) {
        waiting.add(new Work(seconds, onDone));
        work();
    }

    private void work() {
        while (busy < DISK_THREADS && !waiting.isEmpty()) {
            Work next = waiting.remove();
            busy++;
            clock.after(next.seconds(), () -> {
                busy--;
                next.onDone().run();
                work();
            });
        }
    }
}
