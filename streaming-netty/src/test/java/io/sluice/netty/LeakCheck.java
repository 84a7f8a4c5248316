package io.sluice.netty;

import static io.sluice.tools.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.filter.ThresholdFilter;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.netty.buffer.ByteBufAllocator;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.slf4j.LoggerFactory;

/**
 * Fails a test that leaves a thread or an open descriptor of a node behind when it is over, and a class whose buffers
 * Netty, in its paranoid mode, finds lost. What a closed node still ends is waited for.
 */
final class LeakCheck implements BeforeAllCallback, BeforeEachCallback, AfterEachCallback, AfterAllCallback {
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final ExtensionContext.Namespace SPACE = ExtensionContext.Namespace.create(LeakCheck.class);
    private static final Path DESCRIPTORS = Path.of("/proc/self/fd");
    private static final String NETTY_DETECTOR = "io.netty.util.ResourceLeakDetector";

    @Override
    public void beforeAll(ExtensionContext context) throws IOException {
        SocketChannel.open().close(); // the JDK opens a socket of its own with the first one, and keeps it
        ListAppender<ILoggingEvent> reports = new ListAppender<>();
        reports.addFilter(warnings());
        reports.start();
        ((Logger) LoggerFactory.getLogger(NETTY_DETECTOR)).addAppender(reports);
        context.getStore(SPACE).put("reports", reports);
    }

    @Override
    public void beforeEach(ExtensionContext context) throws IOException {
        context.getStore(SPACE).put("descriptors", descriptors().size());
    }

    @Override
    public void afterEach(ExtensionContext context) throws Exception {
        awaitEmpty("threads", LeakCheck::threads);
        int before = context.getStore(SPACE).getOrDefault("descriptors", Integer.class, 0);
        awaitEmpty("descriptors beyond the " + before + " of before", () -> {
            List<String> open = descriptors();
            return open.size() > before ? open : List.of();
        });
    }

    @Override
    public void afterAll(ExtensionContext context) {
        System.gc(); // NOPMD: what is lost is found when it is collected, and told at the next allocation
        ByteBufAllocator.DEFAULT.buffer(1).release();
        ListAppender<?> reports = Objects.requireNonNull(context.getStore(SPACE).get("reports", ListAppender.class));
        assertThat(reports.list).as("reports of lost buffers").isEmpty();
    }

    /** The detector also says how it is set, when it is first used. */
    private static ThresholdFilter warnings() {
        ThresholdFilter warnings = new ThresholdFilter();
        warnings.setLevel(Level.WARN.levelStr);
        warnings.start();
        return warnings;
    }

    /** Those that are there also while nothing streams: others end after an idle minute. */
    static List<String> lastingThreads() {
        return threads().stream()
                .filter(name -> !name.matches(".*-(receive|disk|install|access|write-back)-.*"))
                .toList();
    }

    static List<String> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(name -> name.startsWith("sluice-"))
                .toList();
    }

    /** Sockets, and files that are not the virtual machine's own. */
    static List<String> descriptors() {
        if (!Files.isDirectory(DESCRIPTORS)) {
            return List.of(); // not on Linux
        }
        List<String> open = new ArrayList<>();
        try (Stream<Path> links = Files.list(DESCRIPTORS)) {
            for (Path link : links.toList()) {
                target(link).filter(LeakCheck::isOfANode).ifPresent(open::add);
            }
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
        return open;
    }

    /** What a descriptor stands for; empty if it was closed meanwhile, as that of the list itself. */
    private static Optional<String> target(Path link) throws IOException {
        try {
            return Optional.of(Files.readSymbolicLink(link).toString());
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }

    private static boolean isOfANode(String target) {
        return !(target.startsWith("/dev/")
                || target.startsWith("/proc/")
                || target.startsWith("/sys/") // the virtual machine looks at its container
                || target.endsWith(".jar")
                || target.endsWith("/modules"));
    }

    /** What the kernel knows of the sockets among {@code descriptors}: addresses, and the state of the connection. */
    private static String sockets(List<String> descriptors) {
        List<String> inodes = descriptors.stream()
                .filter(target -> target.startsWith("socket:["))
                .map(target -> " " + target.substring("socket:[".length(), target.length() - 1) + " ")
                .toList();
        try (Stream<String> four = Files.lines(Path.of("/proc/self/net/tcp"));
                Stream<String> six = Files.lines(Path.of("/proc/self/net/tcp6"))) {
            return Stream.concat(four, six)
                    .filter(line -> inodes.stream().anyMatch(line::contains))
                    .collect(Collectors.joining("\n", "\n", ""));
        } catch (IOException e) {
            return " (what they are is not to be had: " + e + ")";
        }
    }

    private static void awaitEmpty(String what, Supplier<List<String>> left) {
        await().atMost(PATIENCE).untilAsserted(() -> {
            List<String> still = left.get();
            assertThat(still).as(() -> what + sockets(still)).isEmpty();
        });
    }
}
