package io.sluice.netty.receive;

import io.sluice.netty.transport.Connection;
import io.sluice.netty.transport.Dialer;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.install.StagedSet;
import io.sluice.streaming.message.Extent;
import io.sluice.streaming.message.Message;
import io.sluice.streaming.message.SSTableOffer;
import io.sluice.streaming.plan.Operation;
import io.sluice.streaming.plan.StreamRequest;
import io.sluice.streaming.progress.SessionProgress;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.session.Failure;
import io.sluice.streaming.session.ReceivingSession;
import io.sluice.streaming.session.ReceivingSession.Action;
import io.sluice.streaming.session.ReceivingSession.Event;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Performs what one {@link ReceivingSession} decides: sends its messages, opens its connections, stages its files.
 * Holds connections, not decisions.
 *
 * <p>Confined to the mailbox; disk work runs on {@code disk} and comes back as an event.
 */
final class ReceivingPeer {
    private static final Logger LOG = LoggerFactory.getLogger(ReceivingPeer.class);

    private final UUID planId;
    private final Node peer;
    private final Map<UUID, StreamRequest> requests = new HashMap<>();
    private final ReceivingSession session;
    private final Dialer dialer;
    private final Executor mailbox;
    private final Executor disk;
    private final PlanExecution plan;
    private final StagedFiles files;
    private final Map<Integer, DataLink> data = new HashMap<>();
    private @Nullable Connection control;

    ReceivingPeer(PlanExecution plan, Operation operation, Node peer, List<StreamRequest> requests, int connections) {
        this.plan = plan;
        this.planId = plan.planId();
        this.peer = peer;
        this.dialer = plan.resources().dialer();
        this.mailbox = plan.resources().mailbox();
        this.disk = plan.resources().disk();
        this.files = new StagedFiles(plan.resources().links().writeBack(), e -> post(new Event.Failed(Failure.of(e))));
        requests.forEach(request -> this.requests.put(request.table().id(), request));
        List<Message.TableRequest> wire = requests.stream()
                .map(request -> new Message.TableRequest(request.table().id(), request.ranges()))
                .toList();
        this.session = new ReceivingSession(operation, wire, connections);
    }

    boolean wants(UUID tableId) {
        return requests.containsKey(tableId);
    }

    SessionProgress progress() {
        return session.progress(peer);
    }

    void start() {
        LOG.info("plan {} session with {}: connecting to {}", planId, peer, peer.address());
        dialer.dial(peer, Message.Role.CONTROL, planId, 0, new Control(), answer(connection -> {
            control = connection;
            on(new Event.Connected());
        }));
    }

    /** Goes on, on the mailbox, with a connection that is there; unless the session is over by then. */
    private Dialer.Answer answer(Consumer<Connection> onConnected) {
        return new Dialer.Answer() {
            @Override
            public void connected(Connection connection) {
                mailbox.execute(() -> {
                    if (session.state().isFinal()) {
                        connection.close();
                    } else {
                        onConnected.accept(connection);
                    }
                });
            }

            @Override
            public void failed(StreamException reason) {
                post(new Event.Failed(Failure.of(reason)));
            }
        };
    }

    /** Takes one event; on the mailbox only. */
    void on(Event event) {
        ReceivingSession.State before = session.state();
        List<Action> actions = session.on(event);
        if (session.state() != before) {
            LOG.info(
                    "plan {} session with {}: {} -> {} by {}",
                    planId,
                    peer,
                    before,
                    session.state(),
                    event.getClass().getSimpleName());
        }
        try {
            actions.forEach(this::perform);
        } catch (RuntimeException e) {
            LOG.error("plan {} session with {}: a step failed", planId, peer, e);
            post(new Event.Failed(Failure.of(e)));
        }
    }

    private void post(Event event) {
        mailbox.execute(() -> on(event));
    }

    private void perform(Action action) {
        if (action instanceof Action.Send a) {
            if (control != null) {
                control.send(a.message());
            }
        } else if (action instanceof Action.Prepare a) {
            onDisk(() -> prepare(a.offers()), new Event.Prepared());
        } else if (action instanceof Action.OpenDataConnections a) {
            openData(a.count());
        } else if (action instanceof Action.Fetch a) {
            fetch(a.connection(), a.extents());
        } else if (action instanceof Action.Stage a) {
            onDisk(() -> stage(a.offer()), new Event.Staged(a.offer().number()));
        } else if (action instanceof Action.TableLanded a) {
            plan.tableLanded(a.tableId());
        } else if (action instanceof Action.Warn a) {
            LOG.warn("plan {} session with {}: {}", planId, peer, a.what());
        } else if (action instanceof Action.Finish a) {
            finish(a.failure());
        } else {
            throw new AssertionError("no rule for " + action);
        }
    }

    private void prepare(List<SSTableOffer> offers) throws IOException {
        long total = offers.stream().mapToLong(SSTableOffer::lengthBytes).reduce(0, Math::addExact);
        plan.reserve(total);
        for (SSTableOffer offer : offers) {
            StagedSet set = plan.set(offer.tableId());
            files.add(new StagedFiles.Landing(offer, set, plan.newDescriptor(set.table(), offer)));
        }
    }

    private void stage(SSTableOffer offer) throws IOException {
        StagedFiles.Landing landing = files.landing(offer.number());
        files.close(offer);
        StreamRequest request = requests.get(offer.tableId());
        if (request == null) {
            throw new IllegalStateException("offer of a table that was not requested: " + offer.tableId());
        }
        landing.set().stage(landing.descriptor(), offer, request.ranges());
        plan.landed(offer.lengthBytes());
    }

    private void openData(int count) {
        for (int number = 0; number < count; number++) {
            Message hello = dialer.hello(peer, Message.Role.DATA, planId, number);
            DataLink link = new DataLink(number, peer, hello, plan.resources().links(), files, new Arrivals());
            data.put(number, link);
            plan.resources().links().start(link);
        }
    }

    private void fetch(int number, List<Extent> extents) {
        DataLink link = data.get(number);
        if (link == null) {
            throw new IllegalStateException("fetch on data connection " + number + ", which is not open");
        }
        link.fetch(extents);
    }

    private void finish(Optional<Failure> failure) {
        failure.ifPresentOrElse(
                f -> LOG.warn("plan {} session with {}: failed: {}", planId, peer, f),
                () -> LOG.info("plan {} session with {}: complete", planId, peer));
        data.values().forEach(DataLink::close);
        if (control != null) {
            control.close();
        }
        disk.execute(() -> {
            try {
                files.closeAll();
            } catch (IOException e) {
                LOG.warn("plan {} session with {}: closing staged files: {}", planId, peer, e.getMessage());
            }
            mailbox.execute(() -> plan.sessionFinished(this, peer, failure));
        });
    }

    /** Disk work of this session, one piece after the other where the order matters to the session. */
    private void onDisk(DiskWork work, Event done) {
        disk.execute(() -> {
            try {
                work.run();
                post(done);
            } catch (IOException | RuntimeException e) {
                LOG.warn("plan {} session with {}: {}", planId, peer, e.getMessage(), e);
                post(new Event.Failed(Failure.of(e)));
            }
        });
    }

    /** Something that a disk may refuse. */
    private interface DiskWork {
        void run() throws IOException;
    }

    /** Brings what the data connections see to the mailbox. */
    private final class Arrivals implements DataLink.Sink {
        @Override
        public void opened(int connection) {
            post(new Event.DataConnected(connection));
        }

        @Override
        public void arrived(int connection, Extent extent, long crc32) {
            post(new Event.Arrived(connection, extent, crc32));
        }

        @Override
        public void lost(int connection, String reason) {
            post(new Event.PeerLost("data connection " + connection + ": " + reason));
        }

        @Override
        public void failed(Throwable cause) {
            post(new Event.Failed(Failure.of(cause)));
        }
    }

    /** Brings what the control connection says to the mailbox. */
    private final class Control implements Connection.Listener {
        @Override
        public void onMessage(Connection connection, Message message) {
            post(new Event.Received(message));
        }

        @Override
        public void onEnd(Connection connection, String reason) {
            post(new Event.PeerLost("control connection: " + reason));
        }
    }
}
