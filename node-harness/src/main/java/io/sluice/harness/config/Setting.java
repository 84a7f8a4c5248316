package io.sluice.harness.config;

import io.sluice.netty.options.DeclaredOption;
import io.sluice.netty.options.ValueType;
import java.util.Optional;

/**
 * One key of a configuration file. Immutable.
 *
 * @param fallback what holds if the file has no such key, as it would be written; empty if nothing does
 * @param help what it is for, in whole sentences; empty where a page explains it
 * @param isLive whether it may change while a node runs
 */
record Setting(String key, ValueType<?> type, Optional<String> fallback, String help, boolean isLive) {
    static Setting of(String key, ValueType<?> type, String fallback, String help) {
        return new Setting(key, type, Optional.of(fallback), help, false);
    }

    static Setting of(DeclaredOption<?> option) {
        return new Setting(option.key(), option.type(), Optional.of(option.fallback()), option.help(), option.isLive());
    }

    static Setting optional(String key, ValueType<?> type) {
        return new Setting(key, type, Optional.empty(), "", false);
    }
}
