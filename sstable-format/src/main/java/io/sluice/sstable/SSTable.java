package io.sluice.sstable;

/** Placeholder of the handle until the format branch lands. */
public interface SSTable {}
