package io.sluice.netty;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.AppenderBase;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.LoggerFactory;

/**
 * What all of Sluice, or another library, logs at the level that operators have, INFO, as long as this is open.
 * Thread-safe.
 */
final class LogCapture implements AutoCloseable {
    private final Logger logger;
    private final Level before;
    private final Lines lines = new Lines();

    private static final class Lines extends AppenderBase<ILoggingEvent> {
        /** Guarded by itself. */
        final List<String> written = new ArrayList<>();

        /** Those with a stack trace. Guarded by {@link #written}. */
        final List<String> traced = new ArrayList<>();

        long bytes;

        @Override
        protected void append(ILoggingEvent event) {
            String trace =
                    event.getThrowableProxy() == null ? "" : ThrowableProxyUtil.asString(event.getThrowableProxy());
            synchronized (written) {
                String line = event.getLevel() + " " + event.getLoggerName() + " " + event.getFormattedMessage();
                written.add(line);
                if (!trace.isEmpty()) {
                    traced.add(line);
                }
                bytes += 60 + event.getFormattedMessage().length() + trace.length(); // with time, level, thread
            }
        }
    }

    LogCapture() {
        this("io.sluice");
    }

    LogCapture(String packageName) {
        logger = (Logger) LoggerFactory.getLogger(packageName);
        before = logger.getLevel();
        logger.setLevel(Level.INFO);
        lines.start();
        logger.addAppender(lines);
    }

    /** Those that have {@code part} in them. */
    List<String> with(String part) {
        synchronized (lines.written) {
            return lines.written.stream().filter(line -> line.contains(part)).toList();
        }
    }

    /** Those with a stack trace. */
    List<String> traced() {
        synchronized (lines.written) {
            return List.copyOf(lines.traced);
        }
    }

    /** In a file. */
    long bytes() {
        synchronized (lines.written) {
            return lines.bytes;
        }
    }

    @Override
    public void close() {
        logger.detachAppender(lines);
        lines.stop();
        logger.setLevel(before);
    }
}
