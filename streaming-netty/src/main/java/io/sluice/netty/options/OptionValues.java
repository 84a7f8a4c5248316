package io.sluice.netty.options;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/** The value of each option: as set, or its default. Immutable. */
public final class OptionValues {
    private final Map<DeclaredOption<?>, Object> values = new LinkedHashMap<>();

    /**
     * Parses the options that are set.
     *
     * @param texts by key
     * @throws IllegalArgumentException if a key is unknown, or a value not allowed
     */
    public OptionValues(Map<String, String> texts) {
        texts.keySet().forEach(DeclaredOptions::of);
        for (DeclaredOption<?> option : DeclaredOptions.ALL) {
            values.put(option, option.read(texts.getOrDefault(option.key(), option.fallback())));
        }
    }

    /** The value of {@code option}, which is one of {@link DeclaredOptions#ALL}. */
    @SuppressWarnings("unchecked") // put in by read of the same option
    public <T> T get(DeclaredOption<T> option) {
        return (T) Objects.requireNonNull(values.get(option), option.key());
    }

    /** All values as text, by key, in the order of {@link DeclaredOptions#ALL}. */
    public Map<String, String> texts() {
        Map<String, String> texts = new LinkedHashMap<>();
        values.keySet().forEach(option -> texts.put(option.key(), text(option)));
        return Collections.unmodifiableMap(texts);
    }

    private <T> String text(DeclaredOption<T> option) {
        return option.type().write(get(option));
    }
}
