package io.sluice.streaming.log;

/** An exception whose message says all: reasons that operators read leave out the name of its class. */
public interface Worded {}
