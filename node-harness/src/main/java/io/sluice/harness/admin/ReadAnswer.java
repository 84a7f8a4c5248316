package io.sluice.harness.admin;

/**
 * Partitions. Immutable.
 *
 * @param mutations in base64, one after another; see the codec of the store
 */
public record ReadAnswer(String mutations) {}
