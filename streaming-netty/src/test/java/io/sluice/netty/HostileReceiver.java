package io.sluice.netty;

import io.sluice.sstable.component.Component;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.message.ComponentManifest;
import io.sluice.streaming.message.Extent;
import io.sluice.streaming.message.Message;
import io.sluice.streaming.message.Message.SessionNumber;
import io.sluice.streaming.message.SSTableOffer;
import io.sluice.streaming.ring.Node;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** What a receiver says, step by step, to one live source; which steps it takes is up to its {@link Lie}. */
final class HostileReceiver implements AutoCloseable {
    private static final int OPERATION = 1;

    /** What it does instead of receiving. */
    interface Lie {
        void tell(HostileReceiver self) throws IOException;
    }

    final UUID table = TestTables.table(0).id();
    private final Node source;
    private final UUID id = UUID.randomUUID();
    private final UUID planId = UUID.randomUUID();
    private final List<Line> lines = new ArrayList<>();

    HostileReceiver(Node source) {
        this.source = source;
    }

    /** A connection on which nothing was said. */
    Line dial() throws IOException {
        Line line = Line.to(source.address());
        lines.add(line);
        return line;
    }

    Message.Hello hello(Message.Role role, int index, int attempt, int connection) {
        return new Message.Hello(
                Message.Cluster.named("sluice"),
                id,
                source.id(),
                role,
                planId,
                new SessionNumber(index, attempt),
                connection);
    }

    /** A control connection that is welcome. */
    Line control() throws IOException {
        return welcome(hello(Message.Role.CONTROL, 0, 0, 0));
    }

    Line welcome(Message.Hello hello) throws IOException {
        Line line = dial();
        line.send(hello);
        line.read(Message.Welcome.class);
        return line;
    }

    /** A connection that begins like this is not welcome. */
    void expectRefused(Message.Hello hello) throws IOException {
        Line line = dial();
        line.send(hello);
        try {
            line.read(Message.Welcome.class);
        } catch (IOException refused) {
            return;
        }
        throw new AssertionError("welcome: " + hello);
    }

    /** A data connection of the first session that is welcome. */
    Line data(int number) throws IOException {
        return welcome(hello(Message.Role.DATA, 0, 0, number));
    }

    /** Asks for the table, and waits for what is offered. */
    List<SSTableOffer> ask(Line control) throws IOException {
        control.send(new Message.StreamInit(OPERATION));
        control.send(request());
        List<SSTableOffer> offers = new ArrayList<>();
        Message.PrepareSynAck page;
        do { // those of a table, when they are ready; and then the last page
            page = control.read(Message.PrepareSynAck.class);
            offers.addAll(page.offers());
        } while (!page.last());
        return offers;
    }

    Message.PrepareSyn request() {
        return new Message.PrepareSyn(List.of(new Message.TableRequest(table, TokenRanges.FULL)), true);
    }

    /** A session in which everything may be fetched. */
    List<SSTableOffer> begin(Line control) throws IOException {
        List<SSTableOffer> offers = ask(control);
        control.send(new Message.PrepareAck());
        return offers;
    }

    /** The first bytes of a component of an offer. */
    static Extent extent(SSTableOffer offer, Component component) {
        ComponentManifest manifest = offer.manifest(component).orElseThrow();
        return new Extent(offer.number(), component, 0, (int) Math.min(8 << 20, manifest.lengthBytes()));
    }

    @Override
    public void close() throws IOException {
        for (Line line : lines) {
            line.close();
        }
    }
}
