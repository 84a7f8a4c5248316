package io.sluice.simulation.fluid;

/** Something of which there is so much per second, and which flows share. Not thread-safe. */
final class Resource {
    final String name;
    final double capacity;

    /** What is left of it, and what a common rise of all rates takes of it, while rates are worked out. */
    double left;

    double weights;

    private double used;

    Resource(String name, double capacity) {
        this.name = name;
        this.capacity = capacity;
    }

    /** So much of it was used. */
    void use(double amount) {
        used += amount;
    }

    /** The share of it that was used within so many seconds; 0 to 1. */
    double utilisation(double seconds) {
        return seconds <= 0 || Double.isInfinite(capacity) ? 0 : Math.min(1, used / (capacity * seconds));
    }
}
