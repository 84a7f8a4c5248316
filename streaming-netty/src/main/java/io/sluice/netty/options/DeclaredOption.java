package io.sluice.netty.options;

import org.jspecify.annotations.Nullable;

/**
 * One setting of streaming. Immutable; options with the same key are equal.
 *
 * @param key its name in {@code sluice.yaml}; the name of cassandra.yaml if it has the option
 * @param fallback the default, as text
 * @param help what the option does, in full sentences without markup
 * @param isLive whether it may change while the node runs
 */
public record DeclaredOption<T>(String key, ValueType<T> type, String fallback, String help, boolean isLive) {
    /**
     * Parses {@code text}.
     *
     * @throws IllegalArgumentException if it is not allowed; the message names the key, the text and the allowed values
     */
    public T read(String text) {
        return type.read(key, text);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof DeclaredOption<?> option && option.key.equals(key);
    }

    @Override
    public int hashCode() {
        return key.hashCode();
    }
}
