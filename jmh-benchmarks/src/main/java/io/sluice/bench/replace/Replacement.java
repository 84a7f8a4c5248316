package io.sluice.bench.replace;

import java.util.Optional;

/**
 * One replacement of the dead node. Immutable.
 *
 * @param seconds from the moment at which the replacement asks for data until it has all of it, readable
 * @param normalSeconds from the same moment until the other nodes may send it reads; empty where that is no step of its
 *     own
 * @param receiverCpuSeconds of the replacement in {@code seconds}, and {@code sourceCpuSeconds} of all sources together
 * @param movedBytes that the replacement received
 * @param sstables that came to be
 * @param mode how many SSTables travelled in which way, in words
 * @param load the machine's average of the minute before, in processors
 */
record Replacement(
        double seconds,
        Optional<Double> normalSeconds,
        double receiverCpuSeconds,
        double sourceCpuSeconds,
        long movedBytes,
        int sstables,
        String mode,
        double load) {}
