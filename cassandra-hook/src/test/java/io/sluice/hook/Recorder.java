package io.sluice.hook;

/** What is called first in tests. */
public final class Recorder {
    private Recorder() {}

    /** Notes that it was called; {@code streamer} is of another class loader. */
    public static void before(Object streamer) throws ReflectiveOperationException {
        @SuppressWarnings("unchecked")
        var calls =
                (java.util.List<String>) streamer.getClass().getMethod("calls").invoke(streamer);
        calls.add("before");
    }
}
