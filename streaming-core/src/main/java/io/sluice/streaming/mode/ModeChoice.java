package io.sluice.streaming.mode;

import io.sluice.streaming.progress.TransferMode;

/**
 * How an SSTable is sent, and why. Immutable.
 *
 * @param reason human-readable: one sentence without a full stop; truncated to 1,024 bytes on the wire
 */
public record ModeChoice(TransferMode mode, String reason) {}
