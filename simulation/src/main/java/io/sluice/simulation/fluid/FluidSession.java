package io.sluice.simulation.fluid;

import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.message.Extent;
import io.sluice.streaming.message.Message;
import io.sluice.streaming.plan.StreamRequest;
import io.sluice.streaming.session.Failure;
import io.sluice.streaming.session.PlanCoordinator;
import io.sluice.streaming.session.ReceivingSession;
import io.sluice.streaming.session.ReceivingSession.Action;
import io.sluice.streaming.session.ReceivingSession.Event;
import io.sluice.streaming.session.SendingSession;
import io.sluice.streaming.session.SessionSettings;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Both ends of one session, in one place: performs what the production sessions decide. Not thread-safe. */
final class FluidSession {
    private final FluidPlan plan;
    private final FluidCluster cluster;
    private final Clock clock;
    private final Machine source;
    private final Machine target;
    private final int number;
    private final List<StreamRequest> requests;
    private final ReceivingSession receiving;
    private final SendingSession sending;
    private final Map<Integer, Flow> flows = new HashMap<>();
    private final double oneWay;

    FluidSession(FluidPlan plan, PlanCoordinator.Action.Open open, SessionSettings settings) {
        this.plan = plan;
        this.cluster = plan.cluster;
        this.clock = cluster.clock;
        this.source = cluster.machine(open.source());
        this.target = plan.target;
        this.number = open.session();
        this.requests = open.requests();
        this.oneWay = cluster.hardware.roundTrip() / 2;
        List<Message.TableRequest> wanted = new ArrayList<>();
        requests.forEach(
                request -> wanted.add(new Message.TableRequest(request.table().id(), request.ranges())));
        this.receiving = new ReceivingSession(plan.plan.operation(), source.name, wanted, settings, clock.nowNanos());
        this.sending = new SendingSession(target.name, settings.deadlines(), clock.nowNanos());
    }

    Machine source() {
        return source;
    }

    long leftBytes() {
        return sending.state().isFinal() ? 0 : sending.offeredBytes() - sending.sentBytes();
    }

    void start() {
        clock.after(cluster.hardware.roundTrip(), () -> {
            if (source.isDead) {
                on(new Event.Failed(new Failure(ErrorCode.PEER_LOST, "cannot connect to " + source.name)));
                return;
            }
            tick();
            on(new Event.Connected());
        });
    }

    private void tick() {
        if (!receiving.state().isFinal()) {
            on(new Event.Tick());
        }
        if (!sending.state().isFinal()) {
            onSender(new SendingSession.Event.Tick());
        }
        if (!receiving.state().isFinal()) {
            clock.after((double) FluidCluster.HEARTBEAT.toSeconds(), this::tick);
        }
    }

    /** The source has died: connections are gone at once, as when its kernel is still there to close them. */
    void sourceDied() {
        flows.values().forEach(cluster.fluid::stop);
        clock.after(oneWay, () -> on(new Event.PeerLost(source.name + " has died")));
    }

    void on(Event event) {
        receiving.on(event, clock.nowNanos()).forEach(this::perform);
    }

    private void onSender(SendingSession.Event event) {
        if (!source.isDead) {
            sending.on(event, clock.nowNanos()).forEach(this::perform);
        }
    }

    private void perform(Action action) {
        if (action instanceof Action.Send a) {
            clock.after(oneWay, () -> onSender(new SendingSession.Event.Received(a.message())));
        } else if (action instanceof Action.Prepare) {
            clock.after(cluster.hardware.prepare() / 2, () -> on(new Event.Prepared(List.of())));
        } else if (action instanceof Action.OpenDataConnection a) {
            clock.after(cluster.hardware.roundTrip(), () -> {
                flows.put(a.connection(), cluster.connect(source, target));
                on(new Event.DataConnected(a.connection()));
            });
        } else if (action instanceof Action.Fetch a) {
            clock.after(oneWay, () -> onSender(new SendingSession.Event.Fetched(a.connection(), a.extents())));
        } else if (action instanceof Action.Stage a) {
            target.onDisk(cluster.hardware.stage(), () -> {
                plan.staged(a.offer().lengthBytes());
                on(new Event.Staged(a.offer().number()));
            });
        } else if (action instanceof Action.TableLanded a) {
            tell(new PlanCoordinator.Event.TableLanded(number, a.tableId()));
        } else if (action instanceof Action.TableFailed a) {
            tell(new PlanCoordinator.Event.TableFailed(number, a.tableId(), a.why()));
        } else if (action instanceof Action.Finish a) {
            finish(a.failure());
        } else if (action instanceof Action.Forget || action instanceof Action.Warn) {
            throw new IllegalStateException("bytes cannot be damaged here: " + action);
        }
    }

    private void perform(SendingSession.Action action) {
        if (action instanceof SendingSession.Action.Send a) {
            clock.after(oneWay, () -> on(new Event.Received(a.message())));
        } else if (action instanceof SendingSession.Action.Pin) {
            clock.after(
                    cluster.hardware.prepare() / 2,
                    () -> onSender(
                            new SendingSession.Event.Pinned(cluster.offers.of(source.node, requests), Map.of())));
        } else if (action instanceof SendingSession.Action.Transmit a) {
            transmit(a.connection(), a.extents());
        }
    }

    private void transmit(int connection, List<Extent> extents) {
        Flow flow = flows.get(connection);
        if (flow == null) {
            throw new IllegalStateException("no data connection " + connection + " with " + source.name);
        }
        List<Flow.Part> parts = new ArrayList<>();
        for (Extent extent : extents) {
            parts.add(new Flow.Part(extent.lengthBytes(), () -> {
                onSender(new SendingSession.Event.Sent(extent.lengthBytes()));
                clock.after(oneWay, () -> arrived(connection, extent));
            }));
        }
        cluster.fluid.add(flow, parts);
    }

    private void arrived(int connection, Extent extent) {
        if (!receiving.state().isFinal()) {
            plan.arrived(source, extent.lengthBytes());
            on(new Event.Arrived(connection, extent, cluster.offers.zeros.crc32(extent.lengthBytes())));
        }
    }

    private void tell(PlanCoordinator.Event event) {
        clock.after(0, () -> plan.on(event));
    }

    private void finish(Optional<Failure> failure) {
        flows.values().forEach(cluster.fluid::stop);
        if (failure.isPresent() && !sending.state().isFinal()) {
            onSender(new SendingSession.Event.PeerLost("the receiver has given up"));
        }
        var progress = receiving.progress(source.node, clock.nowNanos());
        tell(new PlanCoordinator.Event.SessionEnded(number, failure, progress.bytesReceived() > 0));
    }
}
