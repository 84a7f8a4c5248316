package io.sluice.harness.cli.operate;

import io.sluice.harness.admin.FetchState;
import io.sluice.harness.admin.FetchState.Phase;
import io.sluice.harness.admin.HoldStatus;
import io.sluice.harness.admin.NetStats;
import io.sluice.harness.config.OperationName;
import io.sluice.harness.report.ByteFormat;
import io.sluice.harness.report.TextTable;
import io.sluice.streaming.plan.Operation.Priority;
import io.sluice.streaming.progress.SendingProgress;
import io.sluice.streaming.progress.SessionProgress;
import java.io.PrintStream;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.UUID;

/**
 * What nodes stream, made of two samples of them: so there is a rate of now, not one since the beginning, which only
 * the first sample has. Immutable.
 */
record StreamingView(List<OfNode> nodes) {
    private static final double NANOS_PER_SECOND = 1e9;
    private static final long QUIET_SECONDS = 2;
    private static final int PLAN_LETTERS = 8;

    /**
     * A node.
     *
     * @param sendsAtMostBytesPerSecond 0 for no limit
     * @param obsoletePinnedBytes of files that its database has replaced, kept only because they are being sent
     * @param holds who is not let in for a while
     */
    record OfNode(
            String node,
            String address,
            String transport,
            long sendsAtMostBytesPerSecond,
            List<Plan> fetches,
            List<Sending> sends,
            long obsoletePinnedBytes,
            List<HoldStatus> holds) {}

    /**
     * What a node sends to another one for one plan; the other one knows how much of it has arrived.
     *
     * @param bytesOffered what the receiver may fetch; it fetches less if it has some of it already
     */
    record Sending(
            String plan,
            String to,
            SendingProgress.State state,
            long bytes,
            long bytesOffered,
            double bytesPerSecond,
            OptionalDouble secondsLeft,
            String waitsFor) {}

    /**
     * What a node fetches for one plan.
     *
     * @param secondsLeft by that rate; empty if nothing moves, or its length is not known yet
     */
    record Plan(
            String id,
            String operation,
            Priority priority,
            Phase phase,
            double seconds,
            long bytes,
            long bytesTotal,
            double bytesPerSecond,
            OptionalDouble secondsLeft,
            List<Session> sessions,
            String end) {}

    /** What comes from one source. */
    record Session(
            String from,
            String address,
            SessionProgress.State state,
            long bytes,
            long bytesTotal,
            int files,
            int filesTotal,
            int sstables,
            double bytesPerSecond,
            OptionalDouble secondsLeft,
            String waitsFor) {}

    static StreamingView of(List<NetStats> earlier, List<NetStats> now, double seconds) {
        Map<List<Object>, Long> before = new HashMap<>();
        for (NetStats stats : earlier) {
            for (FetchState fetch : stats.fetches()) {
                fetch.sessions().forEach(session -> before.put(key(stats, fetch, session), arrived(session)));
            }
            stats.sendings().forEach(sending -> before.put(key(stats, sending), sending.bytesSent()));
        }
        Map<UUID, String> names = new HashMap<>();
        now.forEach(stats ->
                names.put(stats.status().node().id(), stats.status().node().name()));
        return new StreamingView(
                now.stream().map(stats -> ofNode(stats, before, names, seconds)).toList());
    }

    private static List<Object> key(NetStats stats, SendingProgress sending) {
        return List.of("sends", stats.status().node().id(), sending.planId(), sending.receiver());
    }

    private static Sending sending(
            NetStats stats,
            SendingProgress sending,
            Map<List<Object>, Long> before,
            Map<UUID, String> names,
            double seconds) {
        long was = before.getOrDefault(key(stats, sending), sending.bytesSent());
        double rate = seconds > 0 ? Math.max(0, sending.bytesSent() - was) / seconds : 0;
        return new Sending(
                sending.planId().toString(),
                names.getOrDefault(sending.receiver(), sending.receiver().toString()),
                sending.state(),
                sending.bytesSent(),
                sending.bytesOffered(),
                rate,
                left(sending.bytesOffered() - sending.bytesSent(), rate),
                sending.waitingFor().map(wait -> wait.describe(Instant.now())).orElse("nothing"));
    }

    private static List<Object> key(NetStats stats, FetchState fetch, SessionProgress session) {
        return List.of(
                stats.status().node().id(), fetch.planId(), session.peer().id());
    }

    private static OfNode ofNode(
            NetStats stats, Map<List<Object>, Long> before, Map<UUID, String> names, double seconds) {
        List<Plan> plans = new ArrayList<>();
        for (FetchState fetch : stats.fetches()) {
            List<Session> sessions = fetch.sessions().stream()
                    .map(session -> {
                        long was = before.getOrDefault(key(stats, fetch, session), 0L);
                        return session(session, fetch, rate(session, fetch, was, seconds));
                    })
                    .toList();
            plans.add(plan(fetch, sessions));
        }
        return new OfNode(
                stats.status().node().name(),
                stats.status().node().address().toString(),
                stats.status().transport(),
                stats.outboundBytesPerSecond(),
                plans,
                stats.sendings().stream()
                        .map(sending -> sending(stats, sending, before, names, seconds))
                        .toList(),
                stats.obsoletePinnedBytes(),
                stats.holds());
    }

    private static double rate(SessionProgress session, FetchState fetch, long was, double seconds) {
        if (fetch.hasEnded()) {
            return 0;
        }
        if (seconds > 0) {
            // Fewer than before: another attempt has begun.
            return Math.max(0, arrived(session) - was) / seconds;
        }
        // One sample has no rate of now: the average since the beginning says more than none.
        double soFar = fetch.streamingNanos() / NANOS_PER_SECOND;
        return soFar > 0 ? arrived(session) / soFar : 0;
    }

    private static long arrived(SessionProgress session) {
        return session.bytesReceived() - session.bytesResumed();
    }

    private static Session session(SessionProgress session, FetchState fetch, double rate) {
        return new Session(
                session.peer().name(),
                session.peer().address().toString(),
                session.state(),
                session.bytesReceived(),
                session.bytesTotal(),
                session.filesReceived(),
                session.filesTotal(),
                session.sstablesTotal(),
                rate,
                left(session.bytesTotal() - session.bytesReceived(), rate),
                waitsFor(session, fetch));
    }

    private static Plan plan(FetchState fetch, List<Session> sessions) {
        long bytes = sessions.stream().mapToLong(Session::bytes).sum();
        long total = sessions.stream().mapToLong(Session::bytesTotal).sum();
        double rate = sessions.stream().mapToDouble(Session::bytesPerSecond).sum();
        return new Plan(
                fetch.planId().toString(),
                OperationName.of(fetch.operation()).word(),
                fetch.priority(),
                fetch.phase(),
                fetch.streamingNanos() / NANOS_PER_SECOND,
                bytes,
                total,
                rate,
                left(total - bytes, rate),
                sessions,
                end(fetch));
    }

    private static String end(FetchState fetch) {
        if (fetch.failure().isPresent()) {
            return "failed: " + fetch.failure().get();
        }
        return fetch.result()
                .map(result -> result.tables().stream()
                        .filter(table -> !table.installed())
                        .findFirst()
                        .map(table -> "failed: " + table.table() + ": " + table.reason())
                        .orElse("installed"))
                .orElse("");
    }

    private static OptionalDouble left(long bytes, double rate) {
        return bytes <= 0 || rate <= 0 ? OptionalDouble.empty() : OptionalDouble.of(bytes / rate);
    }

    /** In words: what has to happen before this session goes on. */
    static String waitsFor(SessionProgress session, FetchState fetch) {
        long quiet = (long) (fetch.quietNanos() / NANOS_PER_SECOND);
        String since = quiet >= QUIET_SECONDS ? "; nothing came for " + quiet + " s" : "";
        return session.waitingFor()
                .map(wait -> wait.describe(Instant.now()) + since)
                .orElse("nothing");
    }

    /** Prints it, human-readable. */
    void print(PrintStream out, boolean withEnded) {
        for (OfNode node : nodes) {
            out.printf(
                    "%s  %s  %s  sends %s%n",
                    node.node(),
                    node.address(),
                    node.transport(),
                    node.sendsAtMostBytesPerSecond() == 0
                            ? "without limit"
                            : "at most " + ByteFormat.rate((double) node.sendsAtMostBytesPerSecond()));
            List<Plan> shown = node.fetches().stream()
                    .filter(plan -> withEnded || plan.phase() != Phase.ENDED)
                    .toList();
            if (shown.isEmpty()) {
                out.println("  fetches nothing" + (node.fetches().isEmpty() ? "" : " (any more: --all)"));
            }
            shown.forEach(plan -> print(plan, out));
            printSends(node.sends(), out);
            if (node.obsoletePinnedBytes() > 0) {
                out.println("  keeps " + ByteFormat.text(node.obsoletePinnedBytes())
                        + " of replaced files on the disk until they are sent");
            }
            node.holds()
                    .forEach(hold -> out.printf(
                            Locale.ROOT,
                            "  on hold for %d s: %s, the %d. time in a row, last for: %s%n",
                            hold.secondsLeft(),
                            hold.who(),
                            hold.times(),
                            hold.reason()));
        }
    }

    private static void printSends(List<Sending> sends, PrintStream out) {
        if (sends.isEmpty()) {
            return;
        }
        out.println("  sends");
        TextTable table = new TextTable("to", "plan", "state", "bytes", "rate", "left", "waits for");
        for (Sending sending : sends) {
            table.row(
                    sending.to(),
                    sending.plan().substring(0, PLAN_LETTERS),
                    sending.state().name(),
                    share(sending.bytes(), sending.bytesOffered()),
                    ByteFormat.rate(sending.bytesPerSecond()),
                    time(sending.secondsLeft()),
                    sending.waitsFor());
        }
        table.print(out);
    }

    private static void print(Plan plan, PrintStream out) {
        String head = "  " + plan.operation() + ", plan " + plan.id() + ", priority "
                + plan.priority().word() + ": ";
        switch (plan.phase()) {
            case PLANNING -> out.println(head + "waits for the sources to say what they have");
            case ENDED -> out.println(head + plan.end());
            case STREAMING ->
                out.printf(
                        Locale.ROOT,
                        "%s%s, %s, %s, %.0f s so far%n",
                        head,
                        share(plan.bytes(), plan.bytesTotal()),
                        ByteFormat.rate(plan.bytesPerSecond()),
                        time(plan.secondsLeft()),
                        plan.seconds());
        }
        TextTable table =
                new TextTable("from", "address", "state", "bytes", "files", "SSTables", "rate", "left", "waits for");
        for (Session session : plan.sessions()) {
            table.row(
                    session.from(),
                    session.address(),
                    session.state().name(),
                    share(session.bytes(), session.bytesTotal()),
                    session.files() + "/" + session.filesTotal(),
                    Integer.toString(session.sstables()),
                    ByteFormat.rate(session.bytesPerSecond()),
                    time(session.secondsLeft()),
                    session.waitsFor());
        }
        if (!plan.sessions().isEmpty()) {
            table.print(out);
        }
    }

    /** At most 100 %: what is to come is an estimate. */
    static String share(long part, long whole) {
        return whole == 0
                ? "not known yet"
                : String.format(
                        Locale.ROOT,
                        "%s of %s (%.0f %%)",
                        ByteFormat.text(part),
                        ByteFormat.text(whole),
                        Math.min(100, 100.0 * part / whole));
    }

    private static String time(OptionalDouble seconds) {
        return seconds.isEmpty() ? "-" : String.format(Locale.ROOT, "%.0f s left", seconds.getAsDouble());
    }
}
