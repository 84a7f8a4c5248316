package io.sluice.streaming.install;

import io.sluice.streaming.message.Extent;

/**
 * A retained extent, which need not be fetched again. Immutable.
 *
 * @param crc32 of these bytes, 0 to 2^32 - 1
 */
public record StagedExtent(Extent extent, long crc32) {}
