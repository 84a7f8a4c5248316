package io.sluice.harness.scenario;

import io.sluice.harness.admin.AdminException;
import io.sluice.harness.admin.AdminRequests;
import io.sluice.harness.cluster.NodeProcess;
import io.sluice.harness.config.Fault;
import io.sluice.harness.config.Fault.Kind;
import io.sluice.harness.fault.DataFiles;
import io.sluice.harness.fault.Namespaces;
import io.sluice.harness.fault.ProxyNetwork;
import io.sluice.harness.fault.SmallDisk;
import io.sluice.harness.load.LoadGenerator;
import io.sluice.streaming.Limit;
import io.sluice.streaming.plan.TopologyPlan;
import io.sluice.streaming.progress.SessionProgress;
import io.sluice.streaming.ring.Node;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Makes things go wrong when it is time, and mends them. Not thread-safe, but that single faults are mended by other
 * threads.
 */
final class FaultSchedule implements AutoCloseable {
    private final List<Fault> waiting;
    private final RunningNodes nodes;
    private final Map<String, SmallDisk> disks;
    private final Consumer<Event> marks;
    private final Optional<Namespaces> namespaces;
    private final ProxyNetwork network = new ProxyNetwork();
    private final boolean usesNetwork;
    private final Mendings mendings;
    private final List<Node> killed = new ArrayList<>();
    private final List<Scheduled> scheduled = new ArrayList<>();

    /** Something else that is done while data is streamed, when this share of it has arrived, 0 to 1. */
    record Scheduled(double at, String what, LoadGenerator.Step step) {}

    /**
     * What was made to go wrong, or right again.
     *
     * @param killed the name of the node that was killed for it; empty if none was
     */
    record Event(String text, Optional<String> killed) {}

    /** Who sends and who receives, as it is planned, or as it is going on. */
    record Traffic(List<Node> senders, List<Node> receivers) {
        /** As planned: by name. */
        static Traffic of(TopologyPlan plan) {
            return new Traffic(
                    plan.transfers().stream()
                            .map(TopologyPlan.Transfer::source)
                            .distinct()
                            .sorted(Comparator.comparing(Node::name))
                            .toList(),
                    plan.destinations());
        }

        /** As it is: who has most left to send, and who still receives, first. */
        static Traffic of(Map<Node, List<SessionProgress>> received) {
            List<SessionProgress> busy = received.values().stream()
                    .flatMap(List::stream)
                    .sorted(Comparator.comparingLong(session -> session.bytesReceived() - session.bytesTotal()))
                    .toList();
            return new Traffic(
                    busy.stream().map(SessionProgress::peer).distinct().toList(), List.copyOf(received.keySet()));
        }
    }

    FaultSchedule(
            List<Fault> faults,
            RunningNodes nodes,
            Map<String, SmallDisk> disks,
            Optional<Namespaces> namespaces,
            Consumer<Event> marks) {
        this.waiting = new ArrayList<>(faults);
        this.nodes = nodes;
        this.disks = disks;
        this.namespaces = namespaces;
        this.marks = marks;
        this.mendings = new Mendings(faults.size(), this::mark);
        this.usesNetwork = namespaces.isEmpty() && faults.stream().anyMatch(fault -> fault.fault() == Kind.CUT);
    }

    /** {@code to} as {@code from} has to know it: through a proxy, if the way between them may be cut. */
    Node seenBy(Node from, Node to) throws IOException {
        return usesNetwork && !from.equals(to) ? network.seenBy(from, to) : to;
    }

    /** Makes go wrong what is due when this share of the bytes has arrived. */
    void advance(double share, Traffic traffic) throws IOException, InterruptedException {
        for (Fault fault : List.copyOf(waiting)) {
            if (fault.at() <= share) {
                waiting.remove(fault);
                try {
                    fire(fault, traffic);
                } catch (AdminException e) {
                    // It is frozen, or on its way down: another fault came first.
                    mark(fault + ": left out, as " + e.getMessage());
                }
            }
        }
        advanceScheduled(share);
    }

    /** Also does this, from the thread that calls {@link #advance}. */
    void also(Scheduled other) {
        scheduled.add(other);
    }

    /** Does now what the operation was too short for. */
    void doLate() throws IOException, InterruptedException {
        advanceScheduled(1);
    }

    private void advanceScheduled(double share) throws IOException, InterruptedException {
        for (Scheduled one : List.copyOf(scheduled)) {
            if (one.at() <= share) {
                scheduled.remove(one);
                mark(one.what());
                one.step().run();
            }
        }
    }

    /** Faults for which the operation was too short; they do not come any more. */
    List<Fault> takeWaiting() {
        List<Fault> late = List.copyOf(waiting);
        waiting.clear();
        return late;
    }

    private void fire(Fault fault, Traffic traffic) throws IOException, InterruptedException {
        Optional<Node> meant = node(fault.node(), traffic);
        if (meant.isEmpty() || nodes.find(meant.get()).isEmpty()) {
            mark(fault + ": left out, as there is no such node that runs");
            return;
        }
        Node node = meant.get();
        NodeProcess process = nodes.process(node);
        if (!process.isAlive()) {
            mark(fault + ": left out, as " + node + " is dead");
            return;
        }
        if (fault.fault() != Kind.CUT && mendings.has(fault.fault(), node)) {
            mark(fault + ": left out, as the one before it at " + node + " is not over");
            return;
        }
        String what = fault.fault().name().toLowerCase(Locale.ROOT).replace('_', '-') + " " + node;
        switch (fault.fault()) {
            case KILL -> {
                process.kill();
                killed.add(process.node());
                marks.accept(new Event("SIGKILL " + node, Optional.of(node.name())));
                return;
            }
            case TERMINATE -> {
                int code = process.stop();
                killed.add(process.node());
                mark("SIGTERM " + node + ": exit code " + code);
                return;
            }
            case FREEZE -> {
                process.signal("STOP");
                mendings.add(fault, node, what + " is over", () -> process.signal("CONT"));
            }
            case CORRUPT -> {
                List<Path> corrupted = new ArrayList<>();
                for (Path data : process.home().dataDirectories()) {
                    corrupted.addAll(DataFiles.corrupt(data));
                }
                what += " (a bit of each of " + corrupted.size() + " Data.db)";
                mendings.add(fault, node, what + " is mended", () -> DataFiles.restore(corrupted));
            }
            case DISK_FULL -> {
                SmallDisk disk = disks.get(node.name());
                if (disk == null) {
                    mark(fault + ": left out, as " + node + " has no small disk");
                    return;
                }
                disk.fill();
                mendings.add(fault, node, what + " is over", disk::free);
            }
            case DISK_LOST -> {
                List<Path> data = process.home().dataDirectories();
                Path last = data.get(data.size() - 1);
                SmallDisk cover = SmallDisk.cover(last);
                if (!cover.isSeenBy(process.handle())) {
                    cover.close();
                    mark(fault + ": left out, as " + node
                            + " does not see it (in a namespace it has mounts of its own)");
                    return;
                }
                what += " (" + last.getFileName() + ")";
                mendings.add(fault, node, what + " is back", cover::close);
            }
            case CUT -> {
                Optional<Node> other =
                        fault.with().map(name -> node(name, traffic)).orElseGet(() -> peer(node, traffic));
                if (other.isEmpty() || other.get().equals(node)) {
                    mark(fault + ": left out, as there is no other end");
                    return;
                }
                what += " from " + other.get();
                if (namespaces.isPresent()) {
                    Namespaces cut = namespaces.get();
                    cut.cut(node, other.get());
                    mendings.add(fault, node, what + " is over", () -> cut.heal(node, other.get()));
                } else {
                    network.cut(node, other.get());
                    mendings.add(fault, node, what + " is over", () -> network.heal(node, other.get()));
                }
            }
            case SLOW_DISK -> {
                process.admin()
                        .setDiskRate(new AdminRequests.DiskRate(fault.rate().orElse(0L)));
                mendings.add(
                        fault,
                        node,
                        what + " is over",
                        () -> process.admin().setDiskRate(new AdminRequests.DiskRate(0)));
            }
            case SLOW -> {
                long before = process.admin().netStats().outboundBytesPerSecond();
                process.admin()
                        .setThroughput(new AdminRequests.Throughput(
                                Limit.ENTIRE_SSTABLE_STREAM_THROUGHPUT_OUTBOUND,
                                fault.rate().orElse(0L)));
                mendings.add(
                        fault,
                        node,
                        what + " is over",
                        () -> process.admin()
                                .setThroughput(new AdminRequests.Throughput(
                                        Limit.ENTIRE_SSTABLE_STREAM_THROUGHPUT_OUTBOUND, before)));
            }
        }
        mark(what);
    }

    private static Optional<Node> node(String selector, Traffic traffic) {
        return switch (selector) {
            case Fault.SOURCE -> traffic.senders().stream().findFirst();
            case Fault.RECEIVER -> traffic.receivers().stream().findFirst();
            default ->
                Stream.concat(traffic.senders().stream(), traffic.receivers().stream())
                        .filter(node -> node.name().equals(selector))
                        .findFirst();
        };
    }

    private static Optional<Node> peer(Node node, Traffic traffic) {
        List<Node> others = traffic.receivers().contains(node) ? traffic.senders() : traffic.receivers();
        return others.stream().filter(other -> !other.equals(node)).findFirst();
    }

    /** Mends all but dead nodes. */
    void healAll() {
        mendings.all();
    }

    /** Who was killed since the last time that somebody asked. */
    List<Node> takeKilled() {
        List<Node> all = List.copyOf(killed);
        killed.clear();
        return all;
    }

    @Override
    public void close() throws IOException {
        mendings.close();
        network.close();
    }

    private void mark(String text) {
        marks.accept(new Event(text, Optional.empty()));
    }
}
