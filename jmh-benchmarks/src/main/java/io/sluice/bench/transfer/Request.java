package io.sluice.bench.transfer;

import java.util.List;

/**
 * One request of a client. Immutable.
 *
 * @param due since the first one was, in microseconds
 * @param took since it was due, in microseconds: one that begins late because of the one before is late itself
 */
record Request(int due, int took) {
    /**
     * How long a share of {@code requests} took at most, in microseconds.
     *
     * @param requests at least one
     * @param share from 0 for the fastest to 1 for the slowest
     */
    static int percentile(List<Request> requests, double share) {
        List<Integer> took = requests.stream().map(Request::took).sorted().toList();
        return took.get(Math.min(took.size() - 1, (int) (share * took.size())));
    }
}
