package io.sluice.simulation;

import io.sluice.sstable.component.Component;
import io.sluice.sstable.token.Token;
import io.sluice.streaming.message.ComponentManifest;
import io.sluice.streaming.message.Extent;
import io.sluice.streaming.message.Message;
import io.sluice.streaming.message.SSTableOffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.UUID;

/** Messages of a source that are valid in form and false in content. Stateless. */
final class FalseMessages {
    private FalseMessages() {}

    /** Returns a false variant of {@code truth}; most messages have none and are returned unchanged. */
    static Message of(Message truth, SplittableRandom random) {
        if (truth instanceof Message.PrepareSynAck m) {
            boolean isCutShort = random.nextInt(8) == 0;
            return new Message.PrepareSynAck(
                    m.offers().stream().map(offer -> lie(offer, random)).toList(),
                    m.last() != isCutShort,
                    m.isFetchable());
        } else if (truth instanceof Message.Stream m) {
            Extent extent = m.extent();
            return new Message.Stream(
                    switch (random.nextInt(4)) {
                        case 0 ->
                            new Extent(extent.offer() + 1, extent.component(), extent.offset(), extent.lengthBytes());
                        case 1 -> new Extent(extent.offer(), Component.FILTER, extent.offset(), extent.lengthBytes());
                        case 2 ->
                            new Extent(extent.offer(), extent.component(), extent.offset() + 1, extent.lengthBytes());
                        default ->
                            new Extent(extent.offer(), extent.component(), extent.offset(), extent.lengthBytes() + 1);
                    });
        }
        return truth;
    }

    /**
     * Whether {@code said} hides offers that were to follow. No receiver can find that out: a source that has nothing
     * more says the same.
     */
    static boolean withholds(Message truth, Message said) {
        return truth instanceof Message.PrepareSynAck page
                && !page.last()
                && said instanceof Message.PrepareSynAck lie
                && lie.last();
    }

    private static SSTableOffer lie(SSTableOffer offer, SplittableRandom random) {
        return switch (random.nextInt(6)) {
            case 0 -> with(offer, offer.number() + 1, offer.tableId(), offer.last(), offer.components());
            case 1 -> with(offer, offer.number(), new UUID(1, 1), offer.last(), offer.components());
            case 2 -> with(offer, offer.number(), offer.tableId(), new Token(Long.MAX_VALUE), offer.components());
            case 3, 4 -> with(offer, offer.number(), offer.tableId(), offer.last(), lie(offer.components(), random));
            default -> offer;
        };
    }

    private static SSTableOffer with(
            SSTableOffer offer, int number, UUID tableId, Token last, List<ComponentManifest> components) {
        return new SSTableOffer(number, tableId, offer.source(), offer.first(), last, offer.choice(), components);
    }

    private static List<ComponentManifest> lie(List<ComponentManifest> truth, SplittableRandom random) {
        int victim = random.nextInt(truth.size());
        List<ComponentManifest> components = new ArrayList<>(truth);
        ComponentManifest original = truth.get(victim);
        components.set(
                victim,
                random.nextBoolean()
                        ? new ComponentManifest(original.component(), original.lengthBytes() + 1, original.crc32())
                        : new ComponentManifest(original.component(), original.lengthBytes(), original.crc32() ^ 1));
        return components;
    }
}
