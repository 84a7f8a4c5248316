package io.sluice.netty;

import java.util.HashMap;
import java.util.Map;

/** Counts connections whose other end has not said yet who it is. Thread-safe. */
final class Strangers {
    private final int max;
    private final int maxOfAnAddress;
    private final Map<String, Integer> byAddress = new HashMap<>();
    private int all;

    Strangers(int max, int maxOfAnAddress) {
        this.max = max;
        this.maxOfAnAddress = maxOfAnAddress;
    }

    synchronized int count() {
        return all;
    }

    /** Counts one more, unless that would be too many. */
    synchronized boolean enter(String address) {
        if (all >= max || byAddress.getOrDefault(address, 0) >= maxOfAnAddress) {
            return false;
        }
        all++;
        byAddress.merge(address, 1, Integer::sum);
        return true;
    }

    /** One that was counted is gone, or known now. */
    synchronized void leave(String address) {
        all--;
        byAddress.computeIfPresent(address, (any, count) -> count == 1 ? null : count - 1);
    }
}
