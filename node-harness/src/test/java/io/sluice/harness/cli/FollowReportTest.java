package io.sluice.harness.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.cassandra.receive.Follower;
import io.sluice.harness.json.Json;
import io.sluice.harness.report.ExitCode;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.session.Failure;
import io.sluice.streaming.store.TableRef;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a follower says of sessions that ended well, well enough, and not at all. */
class FollowReportTest {
    private static final InetSocketAddress LOADER = new InetSocketAddress(InetAddress.getLoopbackAddress(), 9);
    private static final UUID PLAN = new UUID(1, 2);
    private static final TableRef USERS = new TableRef(new UUID(3, 4), "shop", "users");

    private final ByteArrayOutputStream told = new ByteArrayOutputStream();
    private final FollowReport report = new FollowReport(new PrintStream(told, true, StandardCharsets.UTF_8));

    private static Follower.Outcome kept(int sstables, int unverified) {
        return new Follower.Outcome(
                PLAN,
                LOADER,
                "Bulk Load",
                List.of(USERS),
                Optional.of(Path.of("arrived")),
                sstables,
                unverified,
                1 << 20,
                0.5,
                Optional.empty(),
                false);
    }

    private static Follower.Outcome refused() {
        return failed(new Failure(ErrorCode.UNKNOWN_TABLE, "table x is not known here"), true);
    }

    private static Follower.Outcome failed(Failure reason, boolean isSenderNotified) {
        return new Follower.Outcome(
                PLAN,
                LOADER,
                "Bulk Load",
                List.of(),
                Optional.empty(),
                0,
                0,
                0,
                0.1,
                Optional.of(reason),
                isSenderNotified);
    }

    private String told() {
        return told.toString(StandardCharsets.UTF_8);
    }

    @Test
    void what_came_with_checksums_is_verified() {
        report.ended(kept(2, 0));

        assertThat(told())
                .contains("Bulk Load of 127.0.0.1: shop.users, 2 SSTables, 1.00 MiB in 0.5 s, verified: arrived");
        assertThat(report.code()).isEqualTo(ExitCode.OK);
    }

    @Test
    void what_came_without_checksums_is_not() {
        report.ended(kept(2, 2));
        report.ended(kept(3, 1));

        assertThat(told())
                .contains("its components agree, but no checksum came with the data: arrived")
                .contains("its components agree, but 1 came without checksums of the data: arrived");
    }

    @Test
    void some_sessions_kept_and_some_not_is_told_by_the_exit_code() {
        report.ended(refused());
        assertThat(report.code()).isEqualTo(ExitCode.FAILED);

        report.ended(kept(1, 0));
        assertThat(report.code()).isEqualTo(ExitCode.PARTLY);
    }

    @Test
    void the_summary_has_a_line_for_each_session() {
        report.summary();
        assertThat(told()).contains("No session came.");

        report.ended(refused());
        report.ended(kept(1, 1));
        report.summary();
        assertThat(told())
                .contains("nothing was kept, and the sender was notified. UNKNOWN_TABLE: table x is not known here")
                .containsPattern("127.0.0.1  shop.users  1 +1.00 MiB  2.00 MiB/s +1 without checksums");
    }

    @Test
    void a_sender_to_which_nothing_was_sent_is_not_said_to_be_notified() {
        report.ended(failed(new Failure(ErrorCode.CANCELLED, "the follower was closed"), false));

        assertThat(told()).endsWith(": nothing was kept. CANCELLED: the follower was closed" + System.lineSeparator());
    }

    @Test
    void progress_tells_waiting_from_receiving_from_verifying() {
        report.progress(List.of(
                new Follower.Progress(PLAN, LOADER, 0, 0),
                new Follower.Progress(PLAN, LOADER, 1 << 20, 2 << 20),
                new Follower.Progress(PLAN, LOADER, 2 << 20, 2 << 20)));

        assertThat(told().lines().map(line -> line.substring(line.indexOf("127.0.0.1: ") + 11)))
                .containsExactly(
                        "waiting for the sender to say what comes",
                        "1.00 MiB of 2.00 MiB",
                        "2.00 MiB of 2.00 MiB, being verified");
    }

    @Test
    void programs_get_the_same(@TempDir Path folder) throws Exception {
        report.ended(refused());
        report.ended(kept(3, 1));
        Path file = folder.resolve("follow.json");

        report.document("10.0.0.1", ExitCode.PARTLY.number()).write(file);

        JsonNode read = Json.MAPPER.readTree(Files.readString(file));
        assertThat(read.get("exitCode").intValue()).isEqualTo(4);
        assertThat(read.at("/sessions/0/state").textValue()).isEqualTo("failed");
        assertThat(read.at("/sessions/0/reason").textValue()).startsWith("UNKNOWN_TABLE");
        assertThat(read.at("/sessions/1/state").textValue()).isEqualTo("installed");
        assertThat(read.at("/sessions/1/unverified").intValue()).isEqualTo(1);
        assertThat(read.at("/sessions/1/folder").textValue()).isEqualTo("arrived");
    }
}
