package io.sluice.streaming.mode;

import io.sluice.streaming.progress.TransferMode;

/**
 * How an SSTable travels, and why. Immutable.
 *
 * @param reason human-readable: one sentence without a full stop; longer than 1,024 bytes it is cut on the wire
 */
public record ModeChoice(TransferMode mode, String reason) {}
