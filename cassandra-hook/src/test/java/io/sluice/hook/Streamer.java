package io.sluice.hook;

import java.util.List;

/** Stands for Cassandra's class: constants of two numbers, jumps, tables and handlers around the method. */
public class Streamer {
    private static final long LONG = 1L << 40;
    private static final double DOUBLE = 0.5;

    private final List<String> calls;
    private final int kind;

    /** @param calls to which the method adds its name */
    public Streamer(List<String> calls, int kind) {
        this.calls = calls;
        this.kind = kind;
    }

    /** Who was called so far. */
    public List<String> calls() {
        return calls;
    }

    /** The method that is to be hooked. */
    public String fetchAsync() {
        calls.add("fetchAsync");
        try {
            return switch (kind) {
                case 0 -> String.valueOf(LONG * calls.size());
                case 1 -> String.valueOf(DOUBLE / calls.size());
                case 1_000_000 ->
                    calls.stream().map(call -> call + "!").toList().toString();
                default -> throw new IllegalStateException("kind " + kind);
            };
        } catch (IllegalStateException e) {
            return String.valueOf(e.getMessage());
        }
    }

    /** Has the name, but not the shape. */
    public void fetchAsync(int times) {
        calls.add("fetchAsync " + times);
    }
}
