package io.sluice.bench.compare;

import com.fasterxml.jackson.annotation.JsonProperty;

/**
 * One transfer. Immutable.
 *
 * @param seconds from the request until everything is durable and in its place
 * @param senderCpuSeconds in steps of 10 ms, as the receiver's
 * @param wireBytes without TCP and IP: both ways where rows or a tablet move; the bytes of the files alone, without
 *     frames and answers, for {@code files}
 * @param filesBytes of all components that came to be
 * @param sstables that came to be
 */
record Run(
        double seconds,
        @JsonProperty("sender_cpu_s") double senderCpuSeconds,
        @JsonProperty("receiver_cpu_s") double receiverCpuSeconds,
        @JsonProperty("sender_allocated_bytes") long senderAllocatedBytes,
        @JsonProperty("receiver_allocated_bytes") long receiverAllocatedBytes,
        @JsonProperty("wire_bytes") long wireBytes,
        @JsonProperty("files_bytes") long filesBytes,
        int sstables) {}
