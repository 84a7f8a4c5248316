package io.sluice.netty;

import io.sluice.sstable.component.Component;
import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.message.Extent;
import io.sluice.streaming.message.Message;
import io.sluice.streaming.message.SSTableOffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;

/** Messages that are well-formed and mean anything, the same for the same seed. Not thread-safe. */
final class AnyMessage {
    private static final long[] NUMBERS = {
        Long.MIN_VALUE, Integer.MIN_VALUE, -1, 0, 1, 2, 7, 512, 8 << 20, Integer.MAX_VALUE, 1L << 40, Long.MAX_VALUE
    };
    private static final List<Component> COMPONENTS = List.of(
            Component.DATA, Component.STATISTICS, Component.INDEX, Component.FILTER, Component.PART, Component.ROWS);

    private final Random random;
    private final UUID table;

    /** @param table one that is there; others are made up */
    AnyMessage(Random random, UUID table) {
        this.random = random;
        this.table = table;
    }

    /** Any one, with offers from {@code known} among its own. */
    Message next(List<SSTableOffer> known) {
        return switch (random.nextInt(16)) {
            case 0 -> new Message.Welcome(table(), number());
            case 1 -> new Message.StreamInit((int) number() & Message.StreamInit.MAX_OPERATION);
            case 2 ->
                new Message.PrepareSyn(
                        List.of(new Message.TableRequest(table(), number(), ranges())), random.nextBoolean());
            case 3 -> new Message.PrepareSynAck(some(known), random.nextBoolean());
            case 4 -> new Message.PrepareAck();
            case 5 -> new Message.Fetch(extents());
            case 6 -> new Message.Received((int) number());
            case 7 -> new Message.Installed(table());
            case 8 -> new Message.Complete();
            case 9 -> new Message.SessionFailed(code(), text());
            case 10 ->
                new Message.KeepAlive(
                        new Message.Doing(text(), (int) number(), number(), number(), (int) number()), number());
            case 11 -> new Message.TableRefused(table(), code(), text());
            case 12 -> new Message.Released(table(), code(), text());
            case 13 -> new Message.CheckFile((int) number(), component(), 512 << random.nextInt(10));
            case 14 ->
                new Message.FileSums(
                        (int) number(), component(), (int) number(), List.of((int) number(), 7), random.nextBoolean());
            default -> new Message.SpansQuery(List.of(new Message.TableRanges(table(), ranges())));
        };
    }

    private List<SSTableOffer> some(List<SSTableOffer> known) {
        return known.stream().filter(offer -> random.nextBoolean()).toList();
    }

    private List<Extent> extents() {
        List<Extent> extents = new ArrayList<>();
        for (int i = random.nextInt(4); i > 0; i--) {
            extents.add(new Extent(
                    random.nextInt(3),
                    component(),
                    Math.min(1L << 44, Math.abs(number() / 2)),
                    1 + random.nextInt(4_096)));
        }
        return extents;
    }

    private long number() {
        return NUMBERS[random.nextInt(NUMBERS.length)] + random.nextInt(2);
    }

    private UUID table() {
        return random.nextInt(4) == 0 ? new UUID(6, random.nextInt(3)) : table;
    }

    private Component component() {
        return COMPONENTS.get(random.nextInt(COMPONENTS.size()));
    }

    private ErrorCode code() {
        List<ErrorCode> codes = List.of(ErrorCode.values());
        return codes.get(random.nextInt(codes.size()));
    }

    private TokenRanges ranges() {
        return random.nextBoolean() ? TokenRanges.FULL : TokenRanges.of(TokenRange.of(number(), number()));
    }

    private String text() {
        return "\u001b[31m\r\n%s{}".repeat(random.nextInt(20));
    }
}
