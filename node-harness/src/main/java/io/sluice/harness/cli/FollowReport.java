package io.sluice.harness.cli;

import io.sluice.cassandra.receive.Follower;
import io.sluice.harness.report.ByteFormat;
import io.sluice.harness.report.ExitCode;
import io.sluice.harness.report.TextTable;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** What {@code ./sluice follow} prints. Not thread-safe. */
final class FollowReport {
    private final PrintStream out;
    private final List<LiveReport.Session> sessions = new ArrayList<>();

    FollowReport(PrintStream out) {
        this.out = out;
    }

    /** One line for each session under way. */
    void progress(List<Follower.Progress> underWay) {
        for (Follower.Progress session : underWay) {
            out.println("  plan " + session.planId() + " of " + host(session.from()) + ": "
                    + Progress.of(session.receivedBytes(), session.promisedBytes()));
        }
    }

    /** A session is over. */
    void ended(Follower.Outcome outcome) {
        var session = new LiveReport.Session(
                outcome.planId().toString(),
                host(outcome.from()),
                outcome.tables().stream().map(Object::toString).sorted().toList(),
                LiveReport.Session.stateOf(outcome.failure()),
                outcome.failure().map(Object::toString),
                outcome.sstables(),
                outcome.unverified(),
                Map.of(),
                outcome.receivedBytes(),
                outcome.seconds(),
                outcome.folder().map(Path::toString));
        sessions.add(session);
        out.println("Plan " + session.plan() + ", " + outcome.operation() + " of " + session.node() + ": "
                + describe(session, outcome.isSenderNotified()));
    }

    private static String describe(LiveReport.Session session, boolean isSenderNotified) {
        if (session.reason().isPresent()) {
            return "nothing was kept" + (isSenderNotified ? ", and the sender was notified. " : ". ")
                    + session.reason().get();
        }
        if (session.folder().isEmpty()) {
            return "nothing was to come";
        }
        return String.format(
                Locale.ROOT,
                "%s, %d %s, %s in %.1f s, %s: %s",
                String.join(", ", session.tables()),
                session.sstables(),
                session.sstables() == 1 ? "SSTable" : "SSTables",
                ByteFormat.text(session.bytes()),
                session.seconds(),
                LiveReport.Session.verification(session.sstables(), session.unverified()),
                session.folder().get());
    }

    private static String host(InetSocketAddress address) {
        return address.getAddress().getHostAddress();
    }

    /** All sessions, if there were any. */
    void summary() {
        out.println();
        if (sessions.isEmpty()) {
            out.println("No session came.");
            return;
        }
        TextTable table = new TextTable("plan", "from", "tables", "SSTables", "received", "rate", "result");
        for (LiveReport.Session session : sessions) {
            table.row(
                    session.plan(),
                    session.node(),
                    session.tables().stream().collect(Collectors.joining(", ")),
                    String.valueOf(session.sstables()),
                    ByteFormat.text(session.bytes()),
                    ByteFormat.rate(session.bytes(), session.seconds()),
                    result(session));
        }
        table.print(out);
    }

    private static String result(LiveReport.Session session) {
        if (!session.isInstalled()) {
            return "nothing was kept";
        }
        return session.unverified() == 0 ? "verified" : session.unverified() + " without checksums";
    }

    /** How the process ends if nobody interrupts it. */
    ExitCode code() {
        return LiveReport.code(sessions);
    }

    /** For programs. */
    LiveReport document(String cluster, int exitCode) {
        return new LiveReport("follow", cluster, exitCode, Optional.empty(), sessions);
    }
}
