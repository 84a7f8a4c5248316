package io.sluice.netty.options;

/**
 * One setting of streaming. Immutable; two of one key are the same one.
 *
 * @param key its name in {@code sluice.yaml}; that of cassandra.yaml where it has one
 * @param fallback the default, as it would be written
 * @param help what it is for, in whole sentences without markup
 * @param isLive whether it may change while the node runs
 */
public record DeclaredOption<T>(String key, ValueType<T> type, String fallback, String help, boolean isLive) {
    /**
     * The value that {@code text} stands for.
     *
     * @throws IllegalArgumentException if it is not allowed; the message has the key, the text and what is allowed
     */
    public T read(String text) {
        return type.read(key, text);
    }
}
