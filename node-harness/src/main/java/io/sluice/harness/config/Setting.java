package io.sluice.harness.config;

import java.util.Optional;

/**
 * One key of a configuration file. Immutable.
 *
 * @param fallback what holds if the file has no such key, as it would be written; empty if nothing does
 */
record Setting(String key, ValueType type, Optional<String> fallback) {
    static Setting of(String key, ValueType type, String fallback) {
        return new Setting(key, type, Optional.of(fallback));
    }

    static Setting optional(String key, ValueType type) {
        return new Setting(key, type, Optional.empty());
    }
}
