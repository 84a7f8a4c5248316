package io.sluice.streaming.engine.send;

import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.memory.PeerMemory;
import io.sluice.streaming.memory.PeerShares;
import io.sluice.streaming.memory.SendingMemory;
import io.sluice.streaming.progress.StreamActivity.QueueSample;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Limits the concurrent sessions and queries of peers, for each peer and in total, and charges the memory of each.
 * Thread-safe.
 */
final class PeerSlots {
    private static final int MOST_QUERIES = 64;
    private static final int MOST_QUERIES_OF_A_PEER = 8;

    private final PeerShares memory;
    private final Kind sessions;
    private final Kind queries = new Kind("queries", MOST_QUERIES_OF_A_PEER, MOST_QUERIES);

    PeerSlots(int sessionsPerPeer, PeerShares memory) {
        this.memory = memory;
        this.sessions = new Kind("sessions", sessionsPerPeer, SendingSessions.MOST_SESSIONS);
    }

    /** The counts of sessions or of queries. Guarded by itself. */
    private static final class Kind {
        final String name;
        final int mostOfAPeer;
        final int most;
        private final Map<UUID, Integer> byPeer = new HashMap<>();
        private int count;

        Kind(String name, int mostOfAPeer, int most) {
            this.name = name;
            this.mostOfAPeer = mostOfAPeer;
            this.most = most;
        }

        synchronized void enter(UUID peer) {
            int own = byPeer.getOrDefault(peer, 0);
            if (own >= mostOfAPeer || count >= most) {
                throw new StreamException(
                        ErrorCode.LIMIT,
                        own + " " + name + " of this peer are open, " + count + " in total (expected: less than "
                                + mostOfAPeer + ", and less than " + most + " in total); wait until some have ended");
            }
            count++;
            byPeer.put(peer, own + 1);
        }

        synchronized void leave(UUID peer) {
            count--;
            byPeer.computeIfPresent(peer, (known, own) -> own == 1 ? null : own - 1);
        }

        synchronized QueueSample sample() {
            return new QueueSample(name, name, count, most);
        }
    }

    /**
     * Admits a session.
     *
     * @return to be run when the session has ended; idempotent
     * @throws StreamException of code {@link ErrorCode#LIMIT} if a limit is reached, or there is no memory for it
     */
    Runnable enterSession(UUID peer) {
        return enter(sessions, peer);
    }

    /** Admits a query. */
    Runnable enterQuery(UUID peer) {
        return enter(queries, peer);
    }

    private Runnable enter(Kind kind, UUID peer) {
        kind.enter(peer);
        PeerMemory own = memory.of(peer);
        if (!own.tryTake(SendingMemory.SESSION_BYTES)) {
            kind.leave(peer);
            throw new StreamException(ErrorCode.LIMIT, own.shortage(SendingMemory.SESSION_BYTES));
        }
        AtomicBoolean isOver = new AtomicBoolean();
        return () -> {
            if (isOver.compareAndSet(false, true)) {
                own.release(SendingMemory.SESSION_BYTES);
                kind.leave(peer);
            }
        };
    }

    /** The number of sessions. */
    QueueSample sessions() {
        return sessions.sample();
    }

    /** The number of queries. */
    QueueSample queries() {
        return queries.sample();
    }
}
