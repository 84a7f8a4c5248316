package io.sluice.harness.cli;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import io.sluice.streaming.access.AuditLog;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ServiceLoader;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where log lines go. */
class LogConfigurationTest {
    @TempDir
    private Path folder = Path.of("");

    private final LoggerContext context = new LoggerContext();

    @AfterEach
    void forget() {
        context.stop();
        System.clearProperty(LogFile.PLACE);
        System.clearProperty(LogFile.LEVEL);
        System.clearProperty(LogFile.AUDIT);
        System.clearProperty("logback.configurationFile");
    }

    private Configurator.ExecutionStatus configure() {
        Configurator found = ServiceLoader.load(Configurator.class).stream()
                .map(ServiceLoader.Provider::get)
                .filter(LogConfiguration.class::isInstance)
                .findFirst()
                .orElseThrow();
        return found.configure(context);
    }

    @Test
    void a_command_that_names_a_file_writes_its_lines_there() throws IOException {
        Path file = folder.resolve("one.log");
        LogFile.at(file);
        context.setMDCAdapter(new LogbackMDCAdapter()); // as SLF4J does it

        assertThat(configure()).isEqualTo(Configurator.ExecutionStatus.DO_NOT_INVOKE_NEXT_IF_ANY);
        context.getLogger("io.sluice.Somebody").info("plan {} ends", 7);
        context.getLogger("io.sluice.Somebody").debug("no one reads this");

        assertThat(Files.readString(file)).matches("(?s)\\d{4}-.* INFO  \\[.*] Somebody plan 7 ends\\n");
    }

    @Test
    void a_line_begins_with_what_it_is_about() throws IOException {
        Path file = folder.resolve("one.log");
        LogFile.at(file);
        LogbackMDCAdapter keys = new LogbackMDCAdapter();
        context.setMDCAdapter(keys);
        configure();

        keys.put("table", "shop.users");
        keys.put("plan", "7\n");
        keys.put("other", "no one prints this");
        context.getLogger("io.sluice.Somebody").info("it ends");

        assertThat(Files.readString(file)).endsWith("] Somebody plan=7\\n table=shop.users it ends\n");
    }

    @Test
    void a_command_that_names_none_leaves_no_file() {
        System.setProperty(LogFile.PLACE, folder.resolve("none.log").toString());

        configure();
        context.getLogger("io.sluice.Somebody").error("nobody receives it");

        assertThat(folder).isEmptyDirectory();
    }

    @Test
    void whoever_has_a_configuration_of_his_own_keeps_it() {
        System.setProperty("logback.configurationFile", "own.xml");

        assertThat(configure()).isEqualTo(Configurator.ExecutionStatus.INVOKE_NEXT_IF_ANY);
    }

    @Test
    void whatever_is_said_stays_in_its_line_and_is_the_owners_alone() throws IOException {
        Path file = folder.resolve("logs").resolve("one.log");
        LogFile.at(file);
        context.setMDCAdapter(new LogbackMDCAdapter());
        configure();
        String evil = "gone\n2026-11-22 10:00:00,000 ERROR [main] Node all is lost\u001b[2J\u202e";

        context.getLogger("io.sluice.Somebody")
                .warn("refused: {}", evil, new IllegalStateException(evil, new IOException(evil)));

        assertThat(Files.readAllLines(file))
                .filteredOn(line -> !line.startsWith("\tat "))
                .satisfiesExactly(
                        line -> assertThat(line)
                                .matches(
                                        "\\d{4}-.* WARN  \\[.*] Somebody refused: gone\\\\n.*lost\\\\u001b\\[2J\\\\u202e"),
                        line -> assertThat(line).startsWith("java.lang.IllegalStateException: gone\\n"),
                        line -> assertThat(line).startsWith("Caused by: java.io.IOException: gone\\n"));
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file.getParent())))
                .isEqualTo("rwx------");
    }

    @Test
    void audit_events_have_a_file_of_their_own_that_nobody_else_reads() throws IOException {
        Path log = folder.resolve("node.log");
        Path audit = folder.resolve("audit.log");
        LogFile.at(log);
        LogFile.auditAt(audit);
        context.setMDCAdapter(new LogbackMDCAdapter());
        configure();

        context.getLogger(AuditLog.LOGGER).info("event=cancelled reason=test");
        context.getLogger("io.sluice.Somebody").info("another line");

        assertThat(Files.readString(audit))
                .contains("event=cancelled reason=test")
                .doesNotContain("another");
        assertThat(Files.readString(log)).contains("another line").doesNotContain("event=");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(audit)))
                .isEqualTo("rw-------");
    }

    @Test
    void an_audit_event_is_not_cut_but_stays_in_its_line() throws IOException {
        Path audit = folder.resolve("audit.log");
        LogFile.at(folder.resolve("node.log"));
        LogFile.auditAt(audit);
        context.setMDCAdapter(new LogbackMDCAdapter());
        configure();
        String event = "event=session-ended result=\"" + "x".repeat(1_900) + "\" reason=\"" + "y".repeat(1_900) + '"';

        context.getLogger(AuditLog.LOGGER).info(event + "\nanother");

        assertThat(Files.readAllLines(audit)).singleElement().asString().endsWith(event + "\\nanother");
    }
}
