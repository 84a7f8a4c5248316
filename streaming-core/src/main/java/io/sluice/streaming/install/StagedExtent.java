package io.sluice.streaming.install;

import io.sluice.streaming.message.Extent;

/**
 * Bytes that lie in staging already, and need not come again. Immutable.
 *
 * @param crc32 of these bytes, 0 to 2^32 - 1
 */
public record StagedExtent(Extent extent, long crc32) {}
