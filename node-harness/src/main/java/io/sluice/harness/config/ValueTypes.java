package io.sluice.harness.config;

import io.sluice.netty.options.ValueType;
import io.sluice.streaming.ErrorCode;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;

/** How values of the harness's own keys and options are written. Stateless. */
public final class ValueTypes {
    /** A UUID; the word {@code auto} for none. */
    static final ValueType<Optional<UUID>> UUID_OR_AUTO = ValueType.ID.orAuto();

    /** Tokens with commas between. */
    static final ValueType<List<Long>> TOKENS = ValueType.parsed("a token", Long::parseLong)
            .list("tokens from -2^63 to 2^63-1, with commas between if several");

    /** A share of a whole, from 0 to 1: {@code 50%}. */
    static final ValueType<Double> SHARE = new ValueType<>(
            ValueType.percent(0, 100).expected(),
            text -> ValueType.percent(0, 100).reader().apply(text).map(percent -> percent / 100.0),
            share -> Math.round(100 * share) + "%");

    /** Words with commas between. */
    static final ValueType<List<String>> WORDS = ValueType.WORD.list("names with commas between");

    /** How a run is to end. */
    static final ValueType<String> END = ValueType.TEXT.only(
            "installed, failed, or failed and an error code, as failed PEER_LOST",
            text -> text.equals("installed")
                    || text.equals("failed")
                    || Arrays.stream(ErrorCode.values()).anyMatch(code -> text.equals("failed " + code)));

    private ValueTypes() {}

    /** The name of one of these, in small letters; its value is the name as it is. */
    static ValueType<String> oneOf(Enum<?>... constants) {
        List<String> words = Arrays.stream(constants)
                .map(constant -> constant.name().toLowerCase(Locale.ROOT))
                .toList();
        return new ValueType<>(
                "one of " + String.join(", ", words),
                text -> Optional.of(text.toUpperCase(Locale.ROOT)).filter(any -> words.contains(text)),
                name -> name.toLowerCase(Locale.ROOT));
    }

    /** A period in whole seconds within bounds. */
    static ValueType<Integer> seconds(String min, String max) {
        ValueType<java.time.Duration> period = ValueType.period(min, max);
        return new ValueType<>(
                period.expected(),
                text -> period.reader()
                        .apply(text)
                        .filter(whole -> whole.toNanosPart() == 0)
                        .map(whole -> (int) whole.toSeconds()),
                seconds -> seconds + "s");
    }

    /**
     * An amount of bytes.
     *
     * @param name of what is read, for messages
     * @throws ConfigException if {@code text} is none
     */
    public static long bytes(String name, String text) {
        return read(ValueType.BYTES, name, text);
    }

    /**
     * A rate in bytes per second, 0 for no limit.
     *
     * @param name of what is read, for messages
     * @throws ConfigException if {@code text} is none
     */
    public static long rate(String name, String text) {
        return read(ValueType.RATE, name, text);
    }

    static <T> T read(ValueType<T> type, String name, String text) {
        try {
            return type.read(name, text);
        } catch (IllegalArgumentException e) {
            throw new ConfigException(String.valueOf(e.getMessage()), e);
        }
    }
}
