package io.sluice.cassandra.session;

import io.sluice.cassandra.wire.StreamMessage;
import io.sluice.cassandra.wire.WireTargets;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/** Sessions of Cassandra's dialect that hear whatever a peer says. Stateless. */
public final class SessionTargets {
    private static final UUID ID = new UUID(1, 2);
    private static final StreamMessage.StreamInit INIT = new StreamMessage.StreamInit(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 7000),
            0,
            ID,
            StreamMessage.StreamInit.REBUILD,
            Optional.empty(),
            0);

    private SessionTargets() {}

    /** The messages of a connection. Files do not come: so nothing may be taken for complete that was promised. */
    public static void sessions(byte[] input) throws IOException {
        List<StreamMessage> messages = WireTargets.read(input);
        hear(new FollowSession(), messages);
        PullSession pull = new PullSession(INIT, List.of());
        pull.on(new SessionEvent.Connected());
        hear(pull, messages);
        StreamMessage.Summary summary = new StreamMessage.Summary(ID, 1, 1);
        PushSession push = new PushSession(INIT, List.of(summary), Set.of(new PushSession.FileId(ID, 0)));
        push.on(new SessionEvent.Connected());
        hear(push, messages);
    }

    private static void hear(StreamSession session, List<StreamMessage> messages) {
        long promised = 0;
        for (StreamMessage message : messages) {
            if (message instanceof StreamMessage.PrepareSyn syn) {
                promised += files(syn.summaries());
            } else if (message instanceof StreamMessage.PrepareSynAck ack) {
                promised += files(ack.summaries());
            }
            if (message instanceof StreamMessage.Control control) {
                List<SessionAction> actions = session.on(new SessionEvent.Received(control));
                boolean isDone = actions.stream()
                        .anyMatch(action -> action instanceof SessionAction.Install
                                || (action instanceof SessionAction.Finish finish
                                        && finish.failure().isEmpty()));
                if (isDone && promised > 0 && !(session instanceof PushSession)) {
                    throw new AssertionError("done, and of " + promised + " files none was received");
                }
            }
        }
    }

    private static long files(List<StreamMessage.Summary> summaries) {
        return summaries.stream().mapToLong(StreamMessage.Summary::files).sum();
    }
}
