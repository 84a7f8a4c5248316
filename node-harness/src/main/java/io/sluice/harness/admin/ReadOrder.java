package io.sluice.harness.admin;

import java.util.List;
import java.util.UUID;

/**
 * "What have you of these partitions?" Immutable.
 *
 * @param keys UTF-8, of a table with one text column as its partition key
 */
public record ReadOrder(UUID tableId, List<String> keys) {
    public ReadOrder {
        keys = List.copyOf(keys);
    }
}
