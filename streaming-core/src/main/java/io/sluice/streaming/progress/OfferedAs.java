package io.sluice.streaming.progress;

import java.util.UUID;

/**
 * How one offered SSTable travels, and why. Immutable.
 *
 * @param sstable what it is called at the source
 * @param bytes that have to come, or were here already
 */
public record OfferedAs(UUID tableId, String sstable, TransferMode mode, long bytes, String reason) {}
