package io.sluice.netty;

import io.sluice.sstable.component.Component;
import io.sluice.streaming.message.Extent;
import io.sluice.streaming.message.Message;
import io.sluice.streaming.message.SSTableOffer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;

/** Lies that nobody thought of: what an honest peer says, dropped, repeated, delayed and replaced, by a seed. */
final class GeneratedLies {
    private GeneratedLies() {}

    /** A source that lies about every fourth message, and every eighth extent. */
    static HostileSource.Lie ofSource(long seed, UUID table) {
        Random random = new Random(seed);
        AnyMessage any = new AnyMessage(random, table);
        return new HostileSource.Lie() {
            private final List<SSTableOffer> known = new ArrayList<>();
            private final List<Message> later = new ArrayList<>();

            @Override
            public synchronized void say(Message honest, Line line) throws IOException {
                if (honest instanceof Message.PrepareSynAck page) {
                    known.addAll(page.offers());
                }
                switch (random.nextInt(24)) {
                    case 0 -> {} // nothing
                    case 1 -> line.sendTogether(honest, honest);
                    case 2 -> later.add(honest);
                    case 3 -> line.send(any.next(known));
                    case 4 -> line.sendTogether(any.next(known), honest);
                    case 5 -> line.sendTogether(honest, any.next(known), any.next(known));
                    default -> line.send(honest);
                }
                if (!later.isEmpty() && random.nextInt(3) == 0) {
                    line.send(later.remove(0));
                }
            }

            @Override
            public synchronized byte[] bytes(Extent extent, byte[] honest) {
                return switch (random.nextInt(24)) {
                    case 0 -> java.util.Arrays.copyOf(honest, random.nextInt(honest.length));
                    case 1 -> java.util.Arrays.copyOf(honest, honest.length + 1 + random.nextInt(100));
                    case 2 -> new byte[honest.length];
                    default -> honest;
                };
            }
        };
    }

    /** A receiver that lies about every fourth message. */
    static HostileReceiver.Lie ofReceiver(long seed, UUID table) {
        Random random = new Random(seed);
        AnyMessage any = new AnyMessage(random, table);
        return self -> {
            try {
                Line control = self.control();
                List<Message> honest = List.of(new Message.StreamInit(1), self.request());
                List<SSTableOffer> offers = List.of();
                for (Message message : honest) {
                    tell(message, control, any, random, offers);
                }
                if (control.poll(500).orElse(new Message.Complete()) instanceof Message.PrepareSynAck page) {
                    offers = page.offers();
                }
                tell(new Message.PrepareAck(), control, any, random, offers);
                Line data = self.data(random.nextInt(3));
                for (SSTableOffer offer : offers) {
                    tell(
                            new Message.Fetch(List.of(HostileReceiver.extent(offer, Component.DATA))),
                            data,
                            any,
                            random,
                            offers);
                    tell(new Message.Received(offer.number()), control, any, random, offers);
                }
                tell(new Message.Installed(self.table), control, any, random, offers);
            } catch (IOException | io.sluice.streaming.StreamException closed) {
                // the source has had enough, as it may
            }
        };
    }

    private static void tell(Message honest, Line line, AnyMessage any, Random random, List<SSTableOffer> offers)
            throws IOException {
        switch (random.nextInt(8)) {
            case 0 -> line.sendTogether(honest, honest);
            case 1 -> line.sendTogether(any.next(offers), honest);
            case 2 -> line.sendTogether(honest, any.next(offers), any.next(offers));
            default -> line.send(honest);
        }
    }
}
