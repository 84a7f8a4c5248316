package io.sluice.bench.transfer;

/** What is run in each round. */
enum Variant {
    C_RW("C, read and write"),
    C_SPLICE("C, splice"),
    SLUICE("Sluice, verified"),
    C_RW_DURABLE("C, read and write, durable"),
    C_SPLICE_DURABLE("C, splice, durable"),
    SLUICE_DURABLE("Sluice, verified, durable, installed"),
    SLICES("Sluice, half of each as a slice, verified"),
    SLICES_DURABLE("Sluice, half of each as a slice, durable, installed"),
    TLS_ALONE("the TLS library alone, from memory to nowhere");

    private final String label;

    Variant(String label) {
        this.label = label;
    }

    String label() {
        return label;
    }

    /** Whether the C program runs it, whose clock of CPU is exact. */
    boolean isYardstick() {
        return switch (this) {
            case C_RW, C_SPLICE, C_RW_DURABLE, C_SPLICE_DURABLE -> true;
            case SLUICE, SLUICE_DURABLE, SLICES, SLICES_DURABLE, TLS_ALONE -> false;
        };
    }
}
