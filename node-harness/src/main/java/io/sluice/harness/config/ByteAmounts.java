package io.sluice.harness.config;

import io.sluice.netty.options.ValueType;

/**
 * Amounts of bytes and rates as people write them. Apart from the types of all keys, which take longer to load.
 * Stateless.
 */
public final class ByteAmounts {
    private ByteAmounts() {}

    /**
     * Parses an amount of bytes.
     *
     * @param name of the option, for messages
     * @throws ConfigException if {@code text} is not an amount
     */
    public static long bytes(String name, String text) {
        return read(ValueType.BYTES, name, text);
    }

    /**
     * Parses a rate in bytes per second, 0 for no limit.
     *
     * @param name of the option, for messages
     * @throws ConfigException if {@code text} is not a rate
     */
    public static long rate(String name, String text) {
        return read(ValueType.RATE, name, text);
    }

    /** A value of any type out of its text; here, where nothing else is loaded with it. */
    static <T> T read(ValueType<T> type, String name, String text) {
        try {
            return type.read(name, text);
        } catch (IllegalArgumentException e) {
            throw new ConfigException(String.valueOf(e.getMessage()), e);
        }
    }
}
