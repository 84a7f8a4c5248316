package io.sluice.harness.cli;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.sluice.harness.json.Json;
import io.sluice.harness.report.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What {@code load}, {@code pull} and {@code follow} say for programs, written by their {@code --json}. Immutable.
 *
 * @param command that ran
 * @param cluster that it met
 * @param exitCode of the process
 * @param problem what concerns no single session, as a ring that changed meanwhile
 */
record LiveReport(String command, String cluster, int exitCode, Optional<String> problem, List<Session> sessions) {
    LiveReport {
        sessions = List.copyOf(sessions);
    }

    /**
     * One session with one node.
     *
     * @param plan its id, as the node's log has it
     * @param node whom it was with; empty for a view that went to nobody
     * @param tables of which something moved, or was to, as {@code keyspace.table}
     * @param modes how many SSTables moved in which way, if we were the one to choose
     * @param unverified how many of them came to us without checksums of their data: their components agree, no more is
     *     known
     * @param bytes of files that moved
     * @param folder of ours where they lie now
     */
    record Session(
            String plan,
            String node,
            List<String> tables,
            State state,
            Optional<String> reason,
            int sstables,
            int unverified,
            Map<String, Long> modes,
            long bytes,
            double seconds,
            Optional<String> folder) {
        /** How a session ended. */
        enum State {
            /** All of it is verified as far as that end verifies, durable and visible there. */
            @JsonProperty("installed")
            INSTALLED,
            /** Nothing of it is. */
            @JsonProperty("failed")
            FAILED,
            /**
             * Nothing was sent: to this node, as was wished, or of a materialized view whose base table is not there.
             */
            @JsonProperty("ignored")
            IGNORED
        }

        Session {
            tables = List.copyOf(tables);
            modes = Map.copyOf(modes);
        }

        boolean isInstalled() {
            return state == State.INSTALLED;
        }

        /** What is known of SSTables that came to us. */
        static String verification(int sstables, int unverified) {
            if (unverified == 0) {
                return "verified";
            }
            String which = unverified == sstables ? "no checksum came with" : unverified + " came without checksums of";
            return "its components agree, but " + which + " the data";
        }

        /** How a session is that ended with this failure, or none. */
        static State stateOf(Optional<?> failure) {
            return failure.isEmpty() ? State.INSTALLED : State.FAILED;
        }
    }

    /** How the process ends: well if all sessions did, in part if some did. */
    static ExitCode code(List<Session> sessions) {
        long installed = sessions.stream().filter(Session::isInstalled).count();
        if (installed == sessions.size()) {
            return ExitCode.OK;
        }
        return installed > 0 ? ExitCode.PARTLY : ExitCode.FAILED;
    }

    /** Of a command that was refused, before anything moved. */
    static LiveReport refused(String command, String cluster, String problem) {
        return new LiveReport(command, cluster, ExitCode.REFUSED.number(), Optional.of(problem), List.of());
    }

    /** Writes it where somebody wants it; to {@code null} for nobody. */
    void write(@Nullable Path file) throws IOException {
        if (file == null) {
            return;
        }
        Files.writeString(file, Json.MAPPER.writeValueAsString(this) + System.lineSeparator());
    }
}
