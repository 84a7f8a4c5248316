package io.sluice.streaming.access;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.audit.AuditEvent;
import io.sluice.streaming.store.Authorizer.Peer;
import io.sluice.streaming.store.TableRef;
import java.io.IOError;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What a line of the audit log says, and how many of them an unknown peer can cause. */
class AuditTest {
    private static final UUID PLAN = new UUID(0, 1);
    private static final UUID NODE = new UUID(0, 2);
    private static final TableRef TABLE = new TableRef(new UUID(0, 3), "ks", "users");
    private static final AuditEvent.Identity PEER =
            new AuditEvent.Identity("10.0.0.7", Optional.of(NODE), Optional.of("3fa9"));
    private static final String WHO = " address=10.0.0.7 node=00000000-0000-0000-0000-000000000002 certificate=3fa9";
    private static final String OF_PLAN = " plan=00000000-0000-0000-0000-000000000001";

    private final AtomicLong now = new AtomicLong(-3);
    private final List<AuditEvent> told = new ArrayList<>();
    private final Audit audit = new Audit(told::add, now::get);

    @Test
    void each_event_says_who_what_and_what_came_of_it() {
        AuditEvent.TableAccess wish = new AuditEvent.TableAccess(PLAN, "fetch", TABLE, 3);

        assertThat(List.of(
                                new AuditEvent.ConnectionAccepted(PEER, PLAN, "CONTROL", 0),
                                new AuditEvent.ConnectionRefused(
                                        AuditEvent.Identity.at("10.0.0.8"), ErrorCode.PROTOCOL, "not one Hello", 7),
                                new AuditEvent.PlanOpened(PLAN, "REPLACE", List.of(TABLE), 3, List.of(NODE)),
                                new AuditEvent.PlanEnded(PLAN, 4096, "complete"),
                                new AuditEvent.SessionOpened(PEER, PLAN, 0),
                                new AuditEvent.SessionEnded(PEER, PLAN, 0, 4096, "complete"),
                                new AuditEvent.Authorized(PEER, wish),
                                new AuditEvent.Denied(PEER, Optional.of(wish), "not this table"),
                                new AuditEvent.Denied(PEER, Optional.empty(), "gone"),
                                new AuditEvent.Installed(PLAN, TABLE, 2, 4096),
                                new AuditEvent.Cancelled(PLAN, "by hand"),
                                new AuditEvent.Administered("operator", "POST /cancel", "done"),
                                new AuditEvent.PutOnHold(PEER, 60, "nonsense"),
                                new AuditEvent.Suppressed(Optional.of("10.0.0.8"), Optional.of("denied"), 3),
                                new AuditEvent.Suppressed(Optional.empty(), Optional.empty(), 4))
                        .stream()
                        .map(AuditLog::line))
                .containsExactly(
                        "event=connection-accepted" + WHO + OF_PLAN + " role=CONTROL",
                        "event=connection-refused address=10.0.0.8 result=PROTOCOL reason=\"not one Hello\" unreported=7",
                        "event=plan-opened" + OF_PLAN
                                + " operation=REPLACE tables=ks.users ranges=3"
                                + " sources=00000000-0000-0000-0000-000000000002",
                        "event=plan-ended" + OF_PLAN + " bytes=4096 result=complete",
                        "event=session-opened" + WHO + OF_PLAN + " session=0",
                        "event=session-ended" + WHO + OF_PLAN + " session=0 bytes=4096 result=complete",
                        "event=authorized" + WHO + OF_PLAN + " action=fetch table=ks.users ranges=3",
                        "event=denied" + WHO + OF_PLAN
                                + " action=fetch table=ks.users ranges=3 reason=\"not this table\"",
                        "event=denied" + WHO + " reason=gone",
                        "event=installed" + OF_PLAN + " table=ks.users sstables=2 bytes=4096",
                        "event=cancelled" + OF_PLAN + " reason=\"by hand\"",
                        "event=administered who=operator order=\"POST /cancel\" result=done",
                        "event=put-on-hold" + WHO + " seconds=60 reason=nonsense",
                        "event=suppressed address=10.0.0.8 kind=denied unreported=3",
                        "event=suppressed unreported=4");
    }

    @Test
    void every_kind_of_event_is_in_the_test_above() {
        assertThat(AuditEvent.class.getPermittedSubclasses()).hasSize(13);
    }

    @Test
    void what_somebody_says_stays_in_its_field_and_in_its_line() {
        String evil = "gone\" event=installed table=ks.users\nevent=plan-ended \\ result=complete\u001b[2J";

        String line = AuditLog.line(new AuditEvent.Cancelled(PLAN, evil));

        assertThat(line)
                .isEqualTo("event=cancelled" + OF_PLAN
                        + " reason=\"gone\\\" event=installed table=ks.users\\nevent=plan-ended \\\\ result=complete"
                        + "\\u001b[2J\"");
        assertThat(AuditLog.line(new AuditEvent.Cancelled(PLAN, ""))).endsWith(" reason=\"\"");
        assertThat(AuditLog.line(new AuditEvent.Cancelled(PLAN, "x".repeat(1 << 20))))
                .hasSizeLessThan(2_200);
    }

    @Test
    void a_plan_of_this_node_names_all_its_tables_and_sources() {
        List<TableRef> tables = IntStream.range(0, 100)
                .mapToObj(i -> new TableRef(new UUID(0, i), "a_keyspace", "a_table_" + i))
                .toList();
        List<UUID> sources =
                IntStream.range(0, 100).mapToObj(i -> new UUID(1, i)).toList();

        assertThat(AuditLog.line(new AuditEvent.PlanOpened(PLAN, "REPLACE", tables, 3, sources)))
                .contains(" tables=a_keyspace.a_table_0,", ",a_keyspace.a_table_99 ranges=3")
                .endsWith(new UUID(1, 99).toString());
    }

    private void refuse(String address, int times) {
        for (int i = 0; i < times; i++) {
            refuse(AuditEvent.Identity.at(address));
        }
    }

    private void refuse(AuditEvent.Identity who) {
        audit.record(
                who,
                "connection-refused",
                unreported -> new AuditEvent.ConnectionRefused(who, ErrorCode.PROTOCOL, "garbage", unreported));
    }

    @Test
    void a_stranger_causes_a_few_a_minute_and_the_others_are_counted() {
        refuse("10.0.0.9", 5_000);
        assertThat(told).hasSize(Audit.OF_AN_ADDRESS);

        now.addAndGet(60_000_000_000L);
        refuse("10.0.0.9", 1);

        assertThat(told)
                .last()
                .isEqualTo(new AuditEvent.ConnectionRefused(
                        AuditEvent.Identity.at("10.0.0.9"),
                        ErrorCode.PROTOCOL,
                        "garbage",
                        5_000 - Audit.OF_AN_ADDRESS));
    }

    @Test
    void strangers_from_everywhere_cause_no_more_than_so_many_together() {
        for (int i = 0; i < 10_000; i++) {
            refuse("10.1." + i / 250 + "." + i % 250, 1);
        }

        assertThat(told).hasSize(Audit.IN_ALL);
    }

    @Test
    void each_event_is_written_or_counted() {
        RandomGenerator random = new Random(7);
        int events = 0;
        for (int i = 0; i < 50_000; i++) {
            cause(AuditEvent.Identity.at("10.0.0." + (int) Math.abs(random.nextGaussian() * 40)), random.nextBoolean());
            if (random.nextInt(100) == 0) {
                cause(AuditEvent.Identity.at("10." + i / 250 + ".0." + i % 250), true); // more than are remembered
                events++;
            }
            events++;
            now.addAndGet(random.nextLong(100_000_000L));
        }
        for (int address = 0; address < 250; address++) {
            now.addAndGet(60_000_000_000L);
            cause(AuditEvent.Identity.at("10.0.0." + address), true);
            cause(AuditEvent.Identity.at("10.0.0." + address), false);
            events += 2;
        }

        assertThat(told.stream().mapToInt(AuditTest::counted).sum()).isEqualTo(events);
    }

    private void cause(AuditEvent.Identity who, boolean isRefusal) {
        if (isRefusal) {
            refuse(who);
        } else {
            audit.record(who, new AuditEvent.Denied(who, Optional.empty(), "gone"));
        }
    }

    /** For how many events {@code event} stands. */
    private static int counted(AuditEvent event) {
        if (event instanceof AuditEvent.Suppressed suppressed) {
            return suppressed.unreported();
        }
        return event instanceof AuditEvent.ConnectionRefused refused ? 1 + refused.unreported() : 1;
    }

    @Test
    void events_beyond_the_total_are_counted_too() {
        for (int address = 0; address < 15; address++) {
            refuse("10.0.1." + address, Audit.OF_AN_ADDRESS);
        }
        refuse("10.9.9.9", 100);
        assertThat(told).hasSize(Audit.IN_ALL);

        now.addAndGet(60_000_000_000L);
        refuse("10.9.9.9", 1);

        assertThat(told.subList(Audit.IN_ALL, told.size()))
                .containsExactly(
                        new AuditEvent.Suppressed(Optional.empty(), Optional.empty(), 100),
                        new AuditEvent.ConnectionRefused(
                                AuditEvent.Identity.at("10.9.9.9"), ErrorCode.PROTOCOL, "garbage", 0));
    }

    @Test
    void unknown_peers_displace_no_event_of_a_certificate() {
        refuse("10.0.0.9", 5_000);
        for (int i = 0; i < 10_000; i++) {
            refuse("10.1." + i / 250 + "." + i % 250, 1);
        }
        told.clear();
        AuditEvent held = new AuditEvent.PutOnHold(PEER, 60, "nonsense");

        audit.record(PEER, held);
        refuse(PEER);

        assertThat(told)
                .containsExactly(held, new AuditEvent.ConnectionRefused(PEER, ErrorCode.PROTOCOL, "garbage", 0));
    }

    @Test
    void refusals_of_one_certificate_are_limited() {
        for (int i = 0; i < 5_000; i++) {
            refuse(PEER);
        }

        assertThat(told).hasSize(Audit.OF_AN_ADDRESS);
    }

    @Test
    void of_what_this_node_does_itself_nothing_is_left_out() {
        for (int i = 0; i < 5_000; i++) {
            audit.record(new AuditEvent.Installed(PLAN, TABLE, 1, i));
        }
        for (int i = 0; i < 5_000; i++) {
            AuditEvent.Identity unproved = AuditEvent.Identity.of(new Peer(NODE, "10.0.0.7", List.of()));
            audit.record(unproved, new AuditEvent.SessionOpened(unproved, PLAN, i));
        }

        assertThat(told).hasSize(5_000 + Audit.OF_AN_ADDRESS);
    }

    @Test
    void a_listener_that_fails_changes_nothing() throws InterruptedException {
        StackOverflowError fatal = new StackOverflowError("injected");
        List<Throwable> handed = new ArrayList<>();
        List<Throwable> heard = new ArrayList<>();
        Thread caller = new Thread(() -> {
            for (Throwable defect :
                    List.of(new IllegalStateException("injected"), new IOError(new IOException("injected")), fatal)) {
                Audit failing = new Audit(
                        event -> {
                            heard.add(defect);
                            sneak(defect);
                        },
                        now::get);
                failing.record(new AuditEvent.Cancelled(PLAN, "by hand"));
            }
        });
        caller.setUncaughtExceptionHandler((thread, error) -> handed.add(error));

        caller.start();
        caller.join();

        assertThat(heard).as("none ended its caller").hasSize(3);
        assertThat(handed).as("goes on to the embedder").containsExactly(fatal);
    }

    private static void sneak(Throwable defect) {
        if (defect instanceof RuntimeException unchecked) {
            throw unchecked;
        }
        throw (Error) defect;
    }
}
