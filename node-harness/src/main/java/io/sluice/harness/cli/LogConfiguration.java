package io.sluice.harness.cli;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.FileAppender;
import ch.qos.logback.core.encoder.LayoutWrappingEncoder;
import ch.qos.logback.core.spi.ContextAwareBase;
import ch.qos.logback.core.status.NopStatusListener;
import io.sluice.streaming.access.AuditLog;

/**
 * One file for each process, whose place and level {@link LogFile} sets before the first logger is made; nothing is
 * printed. Logback finds it as a service. To read the same from XML takes a sixth of a short command's time; who has a
 * file of theirs names it by {@code -Dlogback.configurationFile=FILE}.
 */
public final class LogConfiguration extends ContextAwareBase implements Configurator {
    /** Made by Logback. */
    public LogConfiguration() {}

    @Override
    public ExecutionStatus configure(LoggerContext context) {
        if (System.getProperty("logback.configurationFile") != null) {
            return ExecutionStatus.INVOKE_NEXT_IF_ANY;
        }
        context.getStatusManager().add(new NopStatusListener());
        Logger root = context.getLogger(Logger.ROOT_LOGGER_NAME);
        root.setLevel(Level.toLevel(System.getProperty(LogFile.LEVEL), Level.OFF));
        if (root.getLevel() != Level.OFF) {
            root.addAppender(file(context, System.getProperty(LogFile.PLACE, "sluice.log")));
            String audit = System.getProperty(LogFile.AUDIT);
            if (audit != null) {
                Logger events = context.getLogger(AuditLog.LOGGER);
                events.setAdditive(false);
                events.addAppender(file(context, audit));
            }
        }
        return ExecutionStatus.DO_NOT_INVOKE_NEXT_IF_ANY;
    }

    private static FileAppender<ILoggingEvent> file(LoggerContext context, String name) {
        LogLayout layout = new LogLayout();
        layout.setContext(context);
        layout.start();
        LayoutWrappingEncoder<ILoggingEvent> encoder = new LayoutWrappingEncoder<>();
        encoder.setContext(context);
        encoder.setLayout(layout);
        encoder.start();
        FileAppender<ILoggingEvent> file = new FileAppender<>();
        file.setContext(context);
        file.setName(name);
        file.setFile(name);
        file.setEncoder(encoder);
        file.start();
        return file;
    }
}
