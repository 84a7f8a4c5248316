package io.sluice.netty;

import static io.sluice.netty.HostileReceiver.extent;

import io.sluice.netty.HostileReceiver.Lie;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.message.Extent;
import io.sluice.streaming.message.Message;
import io.sluice.streaming.message.Message.Role;
import io.sluice.streaming.message.SSTableOffer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;

/** The lies of receivers, a row each: in form correct, in content not. Long because there are many. */
final class ReceiverLies {
    private static final int MANY = 200_000;

    private ReceiverLies() {}

    /**
     * One lie.
     *
     * @param isQuick whether it is told in every build
     */
    record Row(String name, boolean isQuick, Lie lie) {
        @Override
        public String toString() {
            return name;
        }
    }

    private static Row quick(String name, Lie lie) {
        return new Row(name, true, lie);
    }

    private static Row slow(String name, Lie lie) {
        return new Row(name, false, lie);
    }

    static List<Row> rows() {
        List<Row> rows = new ArrayList<>();
        rows.addAll(ofHellos());
        rows.addAll(ofRequests());
        rows.addAll(ofAcknowledgements());
        rows.addAll(ofFetches());
        rows.addAll(ofDataConnections());
        rows.addAll(ofChecks());
        return rows;
    }

    private static List<Row> ofHellos() {
        return List.of(
                quick("hello twice", self -> {
                    Line line = self.dial();
                    line.sendTogether(self.hello(Role.CONTROL, 0, 0, 0), self.hello(Role.CONTROL, 0, 1, 0));
                    line.awaitEnd();
                }),
                quick("no hello", self -> {
                    Line line = self.dial();
                    line.send(new Message.StreamInit(0));
                    line.awaitEnd();
                }),
                quick("a data connection of no session", self -> {
                    Line line = self.dial();
                    line.send(self.hello(Role.DATA, 7, 0, 0));
                    line.awaitEnd();
                }),
                quick("data connections of an older and of a newer attempt", self -> {
                    self.welcome(self.hello(Role.CONTROL, 0, 5, 0));
                    for (int attempt : new int[] {0, 4, 6, 0xffff}) {
                        Line line = self.dial();
                        line.send(self.hello(Role.DATA, 0, attempt, 0));
                        line.awaitEnd();
                    }
                }),
                quick("two sessions of one attempt", self -> {
                    self.control();
                    Line line = self.dial();
                    line.send(self.hello(Role.CONTROL, 0, 0, 0));
                    line.awaitEnd();
                }),
                quick("a hundred attempts", self -> {
                    for (int attempt = 0; attempt < 100; attempt++) {
                        Line line = self.dial();
                        line.send(self.hello(Role.CONTROL, 0, attempt, 0));
                    }
                }),
                quick("an attempt that goes on while a newer one runs", self -> {
                    Line old = self.control();
                    self.begin(old);
                    self.welcome(self.hello(Role.CONTROL, 0, 1, 0));
                    old.awaitEnd();
                    self.expectRefused(self.hello(Role.DATA, 0, 0, 0));
                }),
                quick("a fetch that does not wait for the welcome", self -> {
                    for (int i = 0; i < 50; i++) {
                        Line control = self.welcome(self.hello(Role.CONTROL, i, 0, 0));
                        List<SSTableOffer> offers = self.begin(control);
                        Line data = self.dial();
                        data.sendTogether(
                                self.hello(Role.DATA, i, 0, 0),
                                new Message.Fetch(List.of(extent(offers.get(0), Component.DATA))));
                        control.close();
                    }
                }),
                quick("data connections that end at once", self -> {
                    Line control = self.control();
                    self.begin(control);
                    for (int i = 0; i < 30; i++) {
                        Line data = self.dial();
                        data.send(self.hello(Role.DATA, 0, 0, i));
                        data.close();
                    }
                }),
                quick("the same data connection twice", self -> {
                    Line control = self.control();
                    self.begin(control);
                    self.data(3);
                    Line line = self.dial();
                    line.send(self.hello(Role.DATA, 0, 0, 3));
                    line.awaitEnd();
                }));
    }

    private static List<Row> ofRequests() {
        return List.of(
                quick("a request of a table that is not there", self -> {
                    Line control = self.control();
                    control.send(new Message.StreamInit(0));
                    control.send(new Message.PrepareSyn(
                            List.of(new Message.TableRequest(new UUID(6, 6), TokenRanges.FULL)), true));
                    control.awaitEndOrAnswer();
                }),
                quick("a thousand tables that are not there", self -> {
                    Line control = self.control();
                    List<Message.TableRequest> requests = new ArrayList<>();
                    for (int i = 0; i < 1_000; i++) {
                        requests.add(new Message.TableRequest(new UUID(6, i), TokenRanges.FULL));
                    }
                    control.send(new Message.StreamInit(0));
                    control.send(new Message.PrepareSyn(requests, true));
                    control.awaitEndOrAnswer();
                }),
                quick("requests without an opening", self -> {
                    Line control = self.control();
                    control.send(self.request());
                    control.awaitEndOrAnswer();
                }),
                quick("an operation that is none", self -> {
                    Line control = self.control();
                    control.send(new Message.StreamInit(Message.StreamInit.MAX_OPERATION));
                    control.send(self.request());
                    control.awaitEndOrAnswer();
                }),
                quick("a request after the offers", self -> {
                    Line control = self.control();
                    self.ask(control);
                    control.send(self.request());
                    control.awaitEnd();
                }),
                quick("an empty request", self -> {
                    Line control = self.control();
                    control.send(new Message.PrepareSyn(List.of(), true));
                    control.awaitEndOrAnswer();
                }),
                quick("ranges that are none", self -> {
                    Line control = self.control();
                    control.send(new Message.PrepareSyn(
                            List.of(new Message.TableRequest(self.table, TokenRanges.NONE)), true));
                    control.awaitEndOrAnswer();
                }),
                quick("ranges that overlap, and wrap", self -> {
                    Line control = self.control();
                    List<TokenRange> ranges = new ArrayList<>();
                    for (long at = -10; at < 10; at++) {
                        ranges.add(TokenRange.of(at << 58, (at + 3) << 58));
                        ranges.add(TokenRange.of(Long.MAX_VALUE - at, Long.MIN_VALUE + at));
                    }
                    control.send(new Message.PrepareSyn(
                            List.of(new Message.TableRequest(self.table, TokenRanges.of(ranges))), true));
                    control.awaitEndOrAnswer();
                }),
                quick("another schema", self -> {
                    Line control = self.control();
                    control.send(new Message.PrepareSyn(
                            List.of(new Message.TableRequest(self.table, Long.MIN_VALUE, TokenRanges.FULL)), true));
                    control.awaitEndOrAnswer();
                }),
                slow("openings without end", self -> flood(self.control(), new Message.StreamInit(1))),
                slow("empty requests without end", self -> {
                    Line control = self.control();
                    control.send(new Message.StreamInit(1));
                    flood(control, new Message.PrepareSyn(List.of(), false));
                    control.awaitEnd();
                }));
    }

    private static List<Row> ofAcknowledgements() {
        return List.of(
                quick("room before it was asked", self -> {
                    Line control = self.control();
                    control.send(new Message.PrepareAck());
                    control.awaitEnd();
                }),
                quick("room twice", self -> {
                    Line control = self.control();
                    self.begin(control);
                    control.send(new Message.PrepareAck());
                    control.awaitEnd();
                }),
                quick("receipts of what was never offered", self -> violation(self, new Message.Received(99))),
                quick("receipts of negative numbers", self -> violation(self, new Message.Received(-1))),
                quick("receipts of what was never sent", self -> {
                    Line control = self.control();
                    for (SSTableOffer offer : self.begin(control)) {
                        control.send(new Message.Received(offer.number()));
                    }
                    control.send(new Message.Installed(self.table));
                    control.read(Message.Complete.class);
                }),
                quick("receipts without end", self -> {
                    Line control = self.control();
                    self.begin(control);
                    flood(control, new Message.Received(0));
                }),
                quick("installs of what was never sent", self -> {
                    Line control = self.control();
                    self.begin(control);
                    control.send(new Message.Installed(self.table));
                    control.read(Message.Complete.class);
                }),
                quick("an install twice", self -> {
                    Line control = self.control();
                    self.ask(control);
                    control.sendTogether(new Message.Installed(self.table), new Message.Installed(self.table));
                    control.awaitEnd();
                }),
                quick("an install of another table", self -> violation(self, new Message.Installed(new UUID(6, 6)))),
                quick("a release, and then a fetch", self -> {
                    Line control = self.control();
                    List<SSTableOffer> offers = self.ask(control);
                    Line data = self.data(0);
                    control.send(new Message.Released(self.table, ErrorCode.DISK, "\u001b[2J\n"));
                    data.send(new Message.Fetch(List.of(extent(offers.get(0), Component.DATA))));
                    control.awaitEndOrAnswer();
                }),
                quick("complete", self -> violation(self, new Message.Complete())),
                quick("offers", self -> violation(self, new Message.PrepareSynAck(List.of(), true))),
                quick(
                        "an extent",
                        self -> violation(
                                self, new Message.Stream(new Extent(0, Component.DATA, 0, Extent.MAX_LENGTH_BYTES)))),
                slow("heartbeats without end", self -> {
                    Line control = self.control();
                    flood(control, new Message.KeepAlive(new Message.Doing("x", -1, -1, -1, -1), Long.MIN_VALUE));
                }),
                slow("failures without end", self -> {
                    Line control = self.control();
                    flood(control, new Message.SessionFailed(ErrorCode.INTERNAL, "\n".repeat(1_000)));
                }));
    }

    private static List<Row> ofFetches() {
        return List.of(
                quick("a fetch before anything was offered", self -> {
                    Line control = self.control();
                    Line data = self.data(0);
                    data.send(new Message.Fetch(List.of(new Extent(0, Component.DATA, 0, 1))));
                    control.awaitEnd();
                }),
                quick("a fetch beyond the end", self -> fetch(self, new Extent(0, Component.DATA, 1L << 40, 1))),
                quick(
                        "a fetch at the end of all numbers",
                        self -> fetch(self, new Extent(0, Component.DATA, 1L << 44, 1))),
                quick("a fetch across the end", self -> fetch(self, new Extent(0, Component.DATA, 0, 64 << 20))),
                quick("a fetch of no offer", self -> fetch(self, new Extent(Integer.MAX_VALUE, Component.DATA, 0, 1))),
                quick(
                        "a fetch of a component that is not there",
                        self -> fetch(self, new Extent(0, Component.PART, 0, 1))),
                quick("more extents than may wait", self -> {
                    Line control = self.control();
                    Extent extent = extent(self.begin(control).get(0), Component.DATA);
                    Line data = self.data(0);
                    for (int i = 0; i < 5; i++) {
                        data.send(new Message.Fetch(Collections.nCopies(10_000, extent)));
                    }
                    control.awaitEnd();
                }),
                slow("empty fetches without end", self -> {
                    self.begin(self.control());
                    flood(self.data(0), new Message.Fetch(List.of()));
                }),
                quick(
                        "fetches on the control connection",
                        self -> violation(self, new Message.Fetch(List.of(new Extent(0, Component.DATA, 0, 1))))),
                slow("receipts on a data connection", self -> {
                    Line control = self.control();
                    self.begin(control);
                    flood(self.data(0), new Message.Received(0));
                    requireRefused(control, "Received on data connection 0");
                }),
                slow("data that nobody reads", self -> {
                    Line control = self.control();
                    Extent extent = extent(self.begin(control).get(0), Component.DATA);
                    self.data(0).send(new Message.Fetch(Collections.nCopies(10_000, extent)));
                    control.awaitEnd();
                }),
                slow("a hundred data connections that nobody reads", self -> {
                    Line control = self.control();
                    Extent extent = extent(self.begin(control).get(0), Component.DATA);
                    for (int i = 0; i < 100; i++) {
                        Line data = self.dial();
                        data.send(self.hello(Role.DATA, 0, 0, i));
                        if (!(data.read() instanceof Message.Welcome)
                                || !data.trySend(new Message.Fetch(Collections.nCopies(100, extent)))) {
                            break; // its share of memory is used up
                        }
                    }
                    control.awaitEnd();
                }));
    }

    /** Each message of a control connection on a data connection, where it is none of them. */
    private static List<Row> ofDataConnections() {
        UUID table = TestTables.table(0).id();
        List<Message> messages = List.of(
                new Message.Welcome(table, 0),
                new Message.SpansQuery(List.of(new Message.TableRanges(table, TokenRanges.FULL))),
                new Message.StreamInit(1),
                new Message.PrepareSyn(List.of(new Message.TableRequest(table, TokenRanges.FULL)), true),
                new Message.PrepareAck(),
                new Message.Received(0),
                new Message.Installed(table),
                new Message.Released(table, ErrorCode.DISK, "so there"),
                new Message.CheckFile(0, Component.DATA, 1 << 20),
                new Message.SessionFailed(ErrorCode.FENCED, "so there"),
                new Message.Complete());
        List<Row> rows = new ArrayList<>();
        for (Message message : messages) {
            String name = message.getClass().getSimpleName();
            rows.add(quick(name + " on a data connection", self -> {
                Line control = self.control();
                self.ask(control);
                self.data(0).send(message);
                requireRefused(control, name + " on data connection 0");
            }));
        }
        rows.add(quick("a million ranges on a data connection", self -> {
            Line control = self.control();
            Line data = self.data(0);
            List<TokenRange> ranges = new ArrayList<>();
            for (int i = 0; i < 30_000; i++) {
                ranges.add(TokenRange.of(10L * i, 10L * i + 5));
            }
            Message.PrepareSyn page =
                    new Message.PrepareSyn(List.of(new Message.TableRequest(table, TokenRanges.of(ranges))), false);
            for (int i = 0; i < 33 && data.trySend(page); i++) {
                // one page after the other, until the source has enough
            }
            requireRefused(control, "PrepareSyn on data connection 0");
        }));
        return rows;
    }

    private static void requireRefused(Line control, String reason) throws IOException {
        String end = control.awaitEnd();
        if (!end.startsWith("PROTOCOL: " + reason)) {
            throw new AssertionError("ended by: " + end);
        }
    }

    private static List<Row> ofChecks() {
        return List.of(
                quick(
                        "a check of a file that was not offered",
                        self -> violation(self, new Message.CheckFile(9, Component.DATA, 1 << 20))),
                quick(
                        "a check of a component that is not there",
                        self -> violation(self, new Message.CheckFile(0, Component.PART, 1 << 20))),
                quick("a fourth check of one file", self -> {
                    Line control = self.control();
                    self.begin(control);
                    for (int i = 0; i < 4; i++) {
                        control.send(new Message.CheckFile(0, Component.DATA, 512));
                    }
                    control.awaitEnd();
                }),
                slow("the longest answers there are, and none is read", self -> {
                    Line control = self.control();
                    for (SSTableOffer offer : self.begin(control)) {
                        for (var manifest : offer.components()) {
                            for (int i = 0; i < 3; i++) {
                                control.send(new Message.CheckFile(offer.number(), manifest.component(), 512));
                            }
                        }
                    }
                    control.sleep(1_500);
                }));
    }

    private static void violation(HostileReceiver self, Message message) throws IOException {
        Line control = self.control();
        self.begin(control);
        control.send(message);
        control.awaitEnd();
    }

    private static void fetch(HostileReceiver self, Extent extent) throws IOException {
        Line control = self.control();
        self.begin(control);
        self.data(0).send(new Message.Fetch(List.of(extent)));
        control.awaitEnd();
    }

    /** Says one thing again and again, as fast as it is taken, until the other end has enough or so much was said. */
    private static void flood(Line line, Message message) {
        Message[] hundred = new Message[100];
        java.util.Arrays.fill(hundred, message);
        try {
            for (int said = 0; said < MANY; said += hundred.length) {
                line.sendTogether(hundred);
            }
        } catch (IOException closed) {
            // the other end has had enough, as it may
        }
    }
}
