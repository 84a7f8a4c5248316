package io.sluice.streaming.engine.send;

import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.memory.PeerMemory;
import io.sluice.streaming.message.Message;
import io.sluice.streaming.progress.SendingProgress;
import io.sluice.streaming.progress.StreamActivity;
import io.sluice.streaming.progress.StreamActivity.QueueSample;
import io.sluice.streaming.runtime.PeerChannel;
import io.sluice.streaming.session.Failure;
import io.sluice.streaming.store.Authorizer.Peer;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The sending sessions of a node, and the queries that it answers: assigns each channel whose handshake is complete to
 * its session or query. Thread-safe.
 */
public final class SendingSessions {
    /** Maximum over all peers. */
    public static final int MOST_SESSIONS = 1_024;

    private final SendingContext sending;
    private final Map<SessionKey, SendingPeer> sessions = new ConcurrentHashMap<>();
    private final PeerSlots places;
    private final AtomicLong begun = new AtomicLong();

    private record SessionKey(UUID planId, UUID peer, int index) {}

    /** Starts without sessions. */
    public SendingSessions(SendingContext sending) {
        this.sending = sending;
        this.places = new PeerSlots(sending.sessionsPerPeer(), sending.memory().connections());
    }

    /**
     * Accepts a channel for the role in its hello. On the thread of the channel.
     *
     * @param details of the channel, for the log
     * @return the listener of the channel from now on
     * @throws StreamException if the session does not exist, or a limit is reached
     */
    public PeerChannel.Listener accept(PeerChannel channel, Message.Hello hello, String details) {
        SessionKey key =
                new SessionKey(hello.planId(), hello.sender(), hello.session().index());
        return switch (hello.role()) {
            case CONTROL -> {
                SendingPeer session = begin(channel, hello, key);
                orRelease(session::start, () -> session.cancel("the session could not be started"));
                yield session;
            }
            case DATA -> {
                SendingPeer session = sessions.get(key);
                if (session == null || !session.number().equals(hello.session())) {
                    throw new StreamException(
                            ErrorCode.PROTOCOL,
                            "plan " + hello.planId() + " has no such session on this node (any more)");
                }
                PeerChannel.Listener listener = session.dataListener(hello.connectionOrOffer());
                orRelease(
                        () -> {
                            session.charge(channel);
                            sending.node().onLoop(() -> session.add(hello.connectionOrOffer(), channel, details));
                        },
                        () -> listener.onEnd(channel, "the session could not be joined"));
                yield listener;
            }
            case QUERY -> {
                Runnable end = places.enterQuery(hello.sender());
                PeerMemory memory = sending.node().inventory().of(hello.sender());
                Peer peer = channel.peer(hello.sender());
                SpansResponder responder =
                        new SpansResponder(peer, hello.planId(), sending, new SpansResponder.PeerSlot(memory, end));
                orRelease(
                        () -> {
                            channel.charge(memory);
                            responder.expectQuery(channel);
                        },
                        end);
                yield responder;
            }
        };
    }

    /**
     * Runs {@code step}; if it fails, runs {@code release}, because no listener is installed yet that would release the
     * resources.
     */
    private static void orRelease(Runnable step, Runnable release) {
        try {
            step.run();
        } catch (RuntimeException | Error e) {
            release.run();
            throw e;
        }
    }

    private SendingPeer begin(PeerChannel channel, Message.Hello hello, SessionKey key) {
        Runnable leave = places.enterSession(hello.sender());
        try {
            SendingPeer session = new SendingPeer(
                    hello,
                    channel,
                    sending,
                    new SendingPeer.Ends(ended -> sessions.remove(key, ended), leave),
                    begun.incrementAndGet());
            if (sessions.merge(key, session, SendingPeer::newer) != session) {
                // Not a violation: a crashed receiver may reconnect before this node notices the end of its old
                // session.
                throw new StreamException(
                        ErrorCode.BUSY,
                        "plan " + hello.planId() + " already has this session, of the same attempt or a newer one");
            }
            return session;
        } catch (RuntimeException | Error e) {
            leave.run();
            throw e;
        }
    }

    /** A sample of each session. On the loop. */
    public List<SendingProgress> progress() {
        return sessions.values().stream().map(SendingPeer::progress).toList();
    }

    /** Adds what each session waits for. On the loop. */
    public void addWaits(Map<StreamActivity.Session, StreamActivity.Wait> waits) {
        sessions.values()
                .forEach(session ->
                        session.progress().waitingFor().ifPresent(wait -> waits.put(session.session(), wait)));
    }

    /** Fill levels of the resources that sessions share. */
    public List<QueueSample> queues() {
        return List.of(
                sending.memory().connections().sample(),
                sending.memory().inventory().sample(),
                places.sessions(),
                places.queries(),
                new QueueSample("obsolete", "bytes", sending.pins().obsoleteBytes(), QueueSample.OF_ITS_USERS));
    }

    /** Ends all sessions because the node closes: a receiver tries again, as if the node were lost. */
    public void cancelAll(String reason) {
        Failure closed = new Failure(ErrorCode.PEER_LOST, reason);
        sessions.values().forEach(session -> session.fail(closed));
    }
}
