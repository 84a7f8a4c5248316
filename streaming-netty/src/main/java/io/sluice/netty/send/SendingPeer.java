package io.sluice.netty.send;

import io.netty.channel.EventLoop;
import io.sluice.netty.transport.Connection;
import io.sluice.netty.transport.SocketTuning;
import io.sluice.sstable.SSTable;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.message.Extent;
import io.sluice.streaming.message.Message;
import io.sluice.streaming.message.SSTableOffer;
import io.sluice.streaming.session.Failure;
import io.sluice.streaming.session.SendingSession;
import io.sluice.streaming.session.SendingSession.Action;
import io.sluice.streaming.session.SendingSession.Event;
import io.sluice.streaming.store.PinnedTable;
import io.sluice.streaming.store.TableRef;
import io.sluice.streaming.store.TableStore;
import io.sluice.streaming.throttle.Throttle;
import io.sluice.streaming.transfer.WholeSSTables;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Performs what one {@link SendingSession} decides: pins, offers, and hands file regions to the sockets. On epoll a
 * region leaves by {@code sendfile}; its bytes never enter the heap.
 *
 * <p>Confined to the mailbox; disk work runs on {@code disk} and comes back as an event.
 */
@SuppressWarnings("FutureReturnValueIgnored") // writes tell their end to a listener; scheduled sends do nothing else
public final class SendingPeer implements Connection.Listener {
    private static final Logger LOG = LoggerFactory.getLogger(SendingPeer.class);

    private static final long DATA_GRACE_SECONDS = 2;

    private final UUID planId;
    private final UUID peer;
    private final Resources resources;
    private final SendingSession session = new SendingSession();
    private final Connection control;
    private final Map<Integer, RegionQueue> data = new HashMap<>();
    private final Map<UUID, PinnedTable> pinned = new HashMap<>();
    private final List<SSTable> offered = new ArrayList<>();
    private final Runnable onFinish;

    /** What sessions work with; owned by the node. */
    public record Resources(
            EventLoop mailbox, Executor disk, TableStore store, Throttle throttle, SocketTuning tuning) {}

    /**
     * A session with {@code peer}, which has just opened {@code control}.
     *
     * @param onFinish runs on the mailbox when the session is over
     */
    public SendingPeer(UUID planId, UUID peer, Connection control, Resources resources, Runnable onFinish) {
        this.planId = planId;
        this.peer = peer;
        this.control = control;
        this.resources = resources;
        this.onFinish = onFinish;
    }

    /** Fails the session, from any thread. */
    public void cancel(String reason) {
        post(new Event.Failed(new Failure(ErrorCode.CANCELLED, reason)));
    }

    /** Takes a data connection that the peer opened for this session. On the mailbox. */
    public void add(int number, Connection connection) {
        if (session.state().isFinal() || data.containsKey(number)) {
            connection.fail(new StreamException(ErrorCode.PROTOCOL, "data connection " + number + " is not wanted"));
        } else {
            String congestionControl = resources.tuning().applyTo(connection.channel());
            LOG.info(
                    "plan {} session of {}: data connection {}, congestion control {}",
                    planId,
                    peer,
                    number,
                    congestionControl);
            data.put(
                    number,
                    new RegionQueue(
                            connection,
                            resources.mailbox(),
                            resources.throttle(),
                            failure -> post(new Event.Failed(failure))));
        }
    }

    /** Hears what the data connection {@code number} brings. */
    public Connection.Listener dataListener(int number) {
        return new Connection.Listener() {
            @Override
            public void onMessage(Connection connection, Message message) {
                if (message instanceof Message.Fetch fetch) {
                    post(new Event.Fetched(number, fetch.extents()));
                } else {
                    post(new Event.Received(message));
                }
            }

            @Override
            public void onEnd(Connection connection, String reason) {
                post(new Event.PeerLost("data connection " + number + ": " + reason));
            }
        };
    }

    @Override
    public void onMessage(Connection connection, Message message) {
        post(new Event.Received(message));
    }

    @Override
    public void onEnd(Connection connection, String reason) {
        post(new Event.PeerLost("control connection: " + reason));
    }

    private void post(Event event) {
        resources.mailbox().execute(() -> on(event));
    }

    private void on(Event event) {
        SendingSession.State before = session.state();
        List<Action> actions = session.on(event);
        if (session.state() != before) {
            LOG.info(
                    "plan {} session of {}: {} -> {} by {}",
                    planId,
                    peer,
                    before,
                    session.state(),
                    event.getClass().getSimpleName());
        }
        try {
            actions.forEach(this::perform);
        } catch (RuntimeException e) {
            LOG.error("plan {} session of {}: a step failed", planId, peer, e);
            post(new Event.Failed(Failure.of(e)));
        }
    }

    private void perform(Action action) {
        if (action instanceof Action.Pin a) {
            resources.disk().execute(() -> pin(a.requests()));
        } else if (action instanceof Action.Send a) {
            control.send(a.message());
        } else if (action instanceof Action.Transmit a) {
            a.extents().forEach(extent -> transmit(a.connection(), extent));
        } else if (action instanceof Action.Unpin a) {
            PinnedTable table = pinned.remove(a.tableId());
            if (table != null) {
                resources.disk().execute(table::close);
            }
        } else if (action instanceof Action.Finish a) {
            finish(a);
        } else {
            throw new AssertionError("no rule for " + action);
        }
    }

    private void pin(List<Message.TableRequest> requests) {
        Map<UUID, PinnedTable> tables = new HashMap<>();
        try {
            List<SSTableOffer> offers = new ArrayList<>();
            List<SSTable> sstables = new ArrayList<>();
            for (Message.TableRequest request : requests) {
                TableRef table = resources
                        .store()
                        .table(request.tableId())
                        .orElseThrow(() -> new StreamException(
                                ErrorCode.UNKNOWN_TABLE, "table " + request.tableId() + " is not known here"));
                if (tables.containsKey(table.id())) {
                    throw new StreamException(ErrorCode.PROTOCOL, table + " was asked for twice");
                }
                PinnedTable pin = resources.store().pin(planId, table, request.ranges());
                tables.put(table.id(), pin);
                List<SSTableOffer> ofTable = WholeSSTables.offers(pin, request.ranges(), offers.size());
                offers.addAll(ofTable);
                ofTable.forEach(offer -> sstables.add(pin.sstables().stream()
                        .filter(sstable -> sstable.descriptor().equals(offer.source()))
                        .findFirst()
                        .orElseThrow()));
            }
            resources.mailbox().execute(() -> pinned(tables, sstables, offers));
        } catch (IOException | RuntimeException e) {
            LOG.warn("plan {} session of {}: pinning: {}", planId, peer, e.getMessage(), e);
            tables.values().forEach(PinnedTable::close);
            post(new Event.Failed(Failure.of(e)));
        }
    }

    private void pinned(Map<UUID, PinnedTable> tables, List<SSTable> sstables, List<SSTableOffer> offers) {
        if (session.state().isFinal()) {
            resources.disk().execute(() -> tables.values().forEach(PinnedTable::close));
            return;
        }
        pinned.putAll(tables);
        offered.addAll(sstables);
        on(new Event.Pinned(offers));
    }

    private void transmit(int number, Extent extent) {
        RegionQueue lane = data.get(number);
        if (lane == null) {
            on(new Event.Failed(new Failure(ErrorCode.PROTOCOL, "fetch on an unknown data connection " + number)));
            return;
        }
        lane.add(offered.get(extent.offer()).path(extent.component()), extent);
    }

    private void finish(Action.Finish action) {
        action.failure()
                .ifPresentOrElse(
                        failure -> LOG.warn("plan {} session of {}: failed: {}", planId, peer, failure),
                        () -> LOG.info("plan {} session of {}: complete", planId, peer));
        List<PinnedTable> left = List.copyOf(pinned.values());
        pinned.clear();
        resources.disk().execute(() -> left.forEach(PinnedTable::close));
        control.close();
        // The receiver closes these when it hears why; were they closed first, it would only see them go.
        resources
                .mailbox()
                .schedule(
                        () -> data.values().forEach(lane -> lane.connection().close()),
                        DATA_GRACE_SECONDS,
                        TimeUnit.SECONDS);
        onFinish.run();
    }
}
