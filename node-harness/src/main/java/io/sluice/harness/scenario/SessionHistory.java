package io.sluice.harness.scenario;

import io.sluice.streaming.progress.SessionProgress;
import java.util.HashMap;
import java.util.Map;

/**
 * What sessions have done in all their attempts. A node reports the latest one only, which begins with nothing, or with
 * what earlier ones have left: without this, what those had sent would seem never to have travelled. Not thread-safe.
 */
final class SessionHistory {
    private final Map<Key, Known> sessions = new HashMap<>();

    /** The {@code index}-th session of a receiver. */
    private record Key(String receiver, int index) {}

    /**
     * A session.
     *
     * @param travelledBytes in the latest attempt
     * @param earlierBytes that travelled in those before it
     * @param resumedBytes that were there before the first one
     */
    private record Known(SessionProgress shown, long travelledBytes, long earlierBytes, long resumedBytes) {}

    /** A sample of a session, with what its earlier attempts did. */
    SessionProgress add(String receiver, int index, SessionProgress now) {
        Key key = new Key(receiver, index);
        Known before = sessions.getOrDefault(key, new Known(now, 0, 0, 0));
        long travelled = now.bytesReceived() - now.bytesResumed();
        boolean isNewAttempt = travelled < before.travelledBytes();
        long earlier = before.earlierBytes() + (isNewAttempt ? before.travelledBytes() : 0);
        long resumed = earlier == 0 ? now.bytesResumed() : before.resumedBytes();
        // Until the source has said again what it has, what it said before holds.
        SessionProgress counts = now.filesTotal() == 0 ? before.shown() : now;
        SessionProgress shown = now.offering(counts.offered())
                .counting(
                        counts.sstablesTotal(),
                        counts.filesTotal(),
                        counts.filesReceived(),
                        counts.bytesTotal(),
                        resumed + earlier + travelled,
                        resumed);
        sessions.put(key, new Known(shown, travelled, earlier, resumed));
        return shown;
    }
}
