package io.sluice.harness.config;

import io.sluice.netty.options.DeclaredOption;
import io.sluice.netty.options.ValueType;
import java.util.List;
import java.util.Optional;

/**
 * One key of a configuration file. Immutable.
 *
 * @param fallback default, as it would be written; empty if there is none
 * @param help its purpose in whole sentences; empty where a page explains it
 * @param isLive whether it may change while a node runs
 * @param aliases former names of the key
 */
record Setting(
        String key, ValueType<?> type, Optional<String> fallback, String help, boolean isLive, List<String> aliases) {
    Setting {
        aliases = List.copyOf(aliases);
    }

    static Setting of(String key, ValueType<?> type, String fallback, String help) {
        return new Setting(key, type, Optional.of(fallback), help, false, List.of());
    }

    static Setting of(DeclaredOption<?> option) {
        return new Setting(
                option.key(), option.type(), Optional.of(option.fallback()), option.help(), option.isLive(), List.of());
    }

    static Setting optional(String key, ValueType<?> type) {
        return new Setting(key, type, Optional.empty(), "", false, List.of());
    }

    /** The same key with an alias. */
    Setting or(String alias) {
        return new Setting(key, type, fallback, help, isLive, List.of(alias));
    }

    /** Whether {@code name} is its key or an alias. */
    boolean isNamed(String name) {
        return key.equals(name) || aliases.contains(name);
    }

    /** Whether a file may have a list as its value. */
    boolean isList() {
        return type.equals(ValueTypes.PATHS);
    }
}
