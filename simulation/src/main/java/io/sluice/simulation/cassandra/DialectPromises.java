package io.sluice.simulation.cassandra;

import io.sluice.cassandra.wire.FileHeader;
import io.sluice.cassandra.wire.StreamMessage;
import io.sluice.cassandra.wire.StreamMessage.Summary;
import io.sluice.simulation.cassandra.Transcript.Sent;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.session.Failure;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Judges what the driver says at the moment it says it, by what has arrived at its end. Not thread-safe: for threads
 * that take turns.
 */
final class DialectPromises {
    /**
     * Each end is silent for at most a minute after it has sent or received something, which may take a minute to
     * arrive.
     */
    private static final long MOST_SILENT_NANOS = 122_000 * TurnTaking.MILLISECOND;

    private final TurnTaking turns;
    private final List<String> trace = new ArrayList<>();
    private final Map<DialectWire, Set<StreamMessage.Received>> confirmed = new HashMap<>();
    private final Map<DialectWire, Long> lastSaidNanos = new HashMap<>();
    private final Map<Long, Runnable> at = new HashMap<>();
    private long messages;
    private final Set<InetSocketAddress> scripted = new HashSet<>();
    private @Nullable DialectNetwork network;
    private @Nullable String broken;

    DialectPromises(TurnTaking turns) {
        this.turns = turns;
    }

    /** The connections to look at. */
    void watch(DialectNetwork watched) {
        network = watched;
    }

    /** The node at {@code address} is not ours: nothing that it says is judged. */
    void isScripted(InetSocketAddress address) {
        scripted.add(address);
    }

    /** Runs {@code action} soon after so many messages of all ends. */
    void afterMessages(int count, Runnable action) {
        at.put(messages + count, action);
    }

    /** No action is left. */
    void forgetActions() {
        at.clear();
    }

    /** That a session does not fail by a defect of the driver, or by a disk, which is good. */
    void requireReason(String who, Failure failure) {
        if (failure.code() == ErrorCode.INTERNAL || failure.code() == ErrorCode.DISK) {
            isBroken(who + " fails by what does not happen here: " + failure);
        }
    }

    /** The first promise that was broken. */
    Optional<String> broken() {
        return Optional.ofNullable(broken);
    }

    /** What happened, a line for each event. */
    List<String> trace() {
        return trace;
    }

    /** Records an event. */
    void note(String what) {
        trace.add(String.format(Locale.ROOT, "%10.3f  %s", turns.nanoTime() / 1e9, what));
    }

    /** A promise is broken; the run ends. */
    void isBroken(String what) {
        note("BROKEN " + what);
        broken = broken == null ? what : broken;
    }

    /** An end is about to send a message. */
    void sends(DialectWire wire, boolean isInitiator, StreamMessage message) {
        note((isInitiator ? wire.from() + " -> " + wire.to() : wire.to() + " -> " + wire.from()) + " "
                + describe(message));
        Runnable action = at.remove(++messages);
        if (action != null) {
            action.run();
        }
        if (!isInitiator && scripted.contains(wire.to())) {
            return;
        }
        Flow incoming = isInitiator ? wire.back() : wire.there();
        boolean isControl = init(wire).isPresent() || message instanceof StreamMessage.StreamInit;
        if (isControl) {
            requireHeartbeat(wire);
            lastSaidNanos.put(wire, turns.nanoTime());
        }
        if (message instanceof StreamMessage.Received received) {
            requireOrder(incoming, isInitiator);
            requireArrived(wire, isInitiator, received);
        } else if (message instanceof StreamMessage.Complete) {
            requireOrder(incoming, isInitiator);
            requireAllArrived(wire, isInitiator);
        } else if (message instanceof StreamMessage.PrepareSynAck) {
            requireOrder(incoming, isInitiator);
        }
    }

    private static String describe(StreamMessage message) {
        if (message instanceof FileHeader header) {
            return "file " + header.route().sequence();
        }
        return message instanceof StreamMessage.Received received
                ? "Received " + received.sequence()
                : message.getClass().getSimpleName();
    }

    /** That the control connection of a session which goes on, or ends now, has not been silent for too long. */
    void requireHeartbeat(DialectWire wire) {
        long silent = turns.nanoTime() - lastSaidNanos.getOrDefault(wire, turns.nanoTime());
        if (silent > MOST_SILENT_NANOS) {
            isBroken("a control connection was silent for " + silent / 1_000_000_000 + " s");
        }
    }

    /** The message that begins the session of a control connection, as it was sent. */
    static Optional<StreamMessage.StreamInit> init(DialectWire wire) {
        List<Sent> said = wire.there().transcript().messages();
        return said.isEmpty() || !(said.get(0).message() instanceof StreamMessage.StreamInit init)
                ? Optional.empty()
                : Optional.of(init);
    }

    /** What arrived before now: whatever had to happen because of it has happened. */
    private List<StreamMessage> received(Flow flow) {
        return flow.transcript().messages().stream()
                .filter(sent -> sent.arrivedNanos() < turns.nanoTime())
                .map(Sent::message)
                .filter(message -> !(message instanceof StreamMessage.KeepAlive))
                .toList();
    }

    /** That what was received so far is what the state table allows before a file is confirmed, or the end. */
    private void requireOrder(Flow incoming, boolean isInitiator) {
        if (incoming.isUnreadable()) {
            return;
        }
        List<Class<?>> allowed = isInitiator
                ? List.of(StreamMessage.PrepareSynAck.class)
                : List.of(StreamMessage.StreamInit.class, StreamMessage.PrepareSyn.class);
        List<StreamMessage> messages = received(incoming);
        for (int i = 0; i < messages.size(); i++) {
            if (i >= allowed.size() || messages.get(i).getClass() != allowed.get(i)) {
                isBroken("a session goes on after " + messages.get(i).getClass().getSimpleName() + " as message " + i);
            }
        }
    }

    private List<Flow> towards(InetAddress address) {
        List<Flow> flows = new ArrayList<>();
        for (DialectWire wire : network == null ? List.<DialectWire>of() : network.wires()) {
            if (wire.to().getAddress().equals(address)) {
                flows.add(wire.there());
            }
            if (wire.from().getAddress().equals(address)) {
                flows.add(wire.back());
            }
        }
        return flows;
    }

    /** Files of a session that have arrived with all their bytes. */
    private List<FileHeader> arrived(DialectWire wire, List<Flow> flows) {
        StreamMessage.StreamInit init = init(wire).orElseThrow();
        List<FileHeader> arrived = new ArrayList<>();
        for (Flow flow : flows) {
            for (Sent sent : flow.transcript().messages()) {
                if (sent.message() instanceof FileHeader header
                        && header.route().planId().equals(init.planId())
                        && header.route().sessionIndex() == init.sessionIndex()
                        && sent.isWithin(flow.deliveredBytes())) {
                    arrived.add(header);
                }
            }
        }
        return arrived;
    }

    private void requireArrived(DialectWire wire, boolean isInitiator, StreamMessage.Received received) {
        if (!confirmed.computeIfAbsent(wire, any -> new HashSet<>()).add(received)) {
            isBroken("file " + received.sequence() + " is confirmed twice");
        }
        List<Flow> flows = towards((isInitiator ? wire.from() : wire.to()).getAddress());
        boolean isThere = arrived(wire, flows).stream()
                .map(FileHeader::route)
                .anyMatch(
                        route -> route.tableId().equals(received.tableId()) && route.sequence() == received.sequence());
        if (!isThere && flows.stream().noneMatch(Flow::isFalse)) {
            isBroken("file " + received.sequence() + " is confirmed and has not arrived");
        }
    }

    private void requireAllArrived(DialectWire wire, boolean isInitiator) {
        List<Flow> flows = towards((isInitiator ? wire.from() : wire.to()).getAddress());
        if (flows.stream().anyMatch(Flow::isFalse)) {
            return;
        }
        long announced = wire.there().transcript().messages().stream()
                .filter(sent -> sent.message() instanceof StreamMessage.PrepareSyn)
                .flatMap(sent -> ((StreamMessage.PrepareSyn) sent.message()).summaries().stream())
                .mapToLong(Summary::files)
                .sum();
        long files = arrived(wire, flows).stream()
                .mapToLong(FileHeader::countedFiles)
                .sum();
        if (files < announced) {
            isBroken("COMPLETE after " + files + " of " + announced + " files");
        }
    }

    /** Judges the success of a session in which the node sent what it had announced. */
    void pulled(DialectWire wire) {
        requireHeartbeat(wire);
        if (wire.back().isUnreadable()) {
            return;
        }
        long announced = wire.back().transcript().messages().stream()
                .filter(sent -> sent.message() instanceof StreamMessage.PrepareSynAck)
                .filter(sent -> sent.arrivedNanos() != Long.MAX_VALUE)
                .flatMap(sent -> ((StreamMessage.PrepareSynAck) sent.message()).summaries().stream())
                .mapToLong(Summary::files)
                .sum();
        long files = arrived(wire, towards(wire.from().getAddress())).stream()
                .mapToLong(FileHeader::countedFiles)
                .sum();
        if (files < announced) {
            isBroken("a pull succeeds after " + files + " of " + announced + " files");
        }
    }

    /** Judges the success of a session in which the initiator sent {@code files} files. */
    void pushed(DialectWire wire, int files) {
        requireHeartbeat(wire);
        if (wire.back().isUnreadable()) {
            return;
        }
        boolean isPrepared = false;
        Set<Integer> confirmed = new HashSet<>();
        for (Sent sent : wire.back().transcript().messages()) {
            StreamMessage message = sent.arrivedNanos() == Long.MAX_VALUE ? null : sent.message();
            boolean isAllowed;
            if (message instanceof StreamMessage.PrepareSynAck synAck) {
                isAllowed = !isPrepared && synAck.summaries().isEmpty();
                isPrepared = true;
            } else if (message instanceof StreamMessage.Received received) {
                isAllowed = isPrepared
                        && received.tableId().equals(DialectData.TABLE.id())
                        && received.sequence() < files
                        && confirmed.add(received.sequence());
            } else if (message instanceof StreamMessage.Complete && isPrepared && confirmed.size() == files) {
                return;
            } else {
                isAllowed = message instanceof StreamMessage.KeepAlive;
            }
            if (!isAllowed) {
                break;
            }
        }
        isBroken("a push of " + files + " files succeeds, and the node confirmed " + confirmed + " or said too much");
    }
}
