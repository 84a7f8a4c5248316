package io.sluice.cassandra.receive;

import io.sluice.cassandra.net.IncomingLink;
import io.sluice.cassandra.session.SessionEvent;
import io.sluice.cassandra.wire.ConnectionLostException;
import io.sluice.cassandra.wire.FileHeader;
import io.sluice.cassandra.wire.StreamMessage;
import io.sluice.sstable.component.SSTableException;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.guard.VirtualMachineErrors;
import io.sluice.streaming.log.LogKeys;
import io.sluice.streaming.session.Failure;
import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A connection on which a peer sends the files of a session, one after the other. Stateless. */
final class FileConnection {
    private static final Logger LOG = LoggerFactory.getLogger(FileConnection.class);
    private static final Duration FOREVER = Duration.ofDays(365);

    private FileConnection() {}

    /** The session that the files belong to. */
    interface Session {
        /**
         * Finds the table that receives a file.
         *
         * @throws StreamException if the file does not belong to this session, or was not announced
         */
        ReceivedTable tableOf(FileHeader.Route route);

        /** Reports received bytes. */
        void received(long bytes);

        /** Queues an event of the session. */
        void post(SessionEvent event);
    }

    /**
     * Receives files until the connection ends; notifies the session of each file and of the end.
     *
     * @param timeout longest silence in the middle of a file
     */
    static void receive(IncomingLink link, Session session, Duration timeout) {
        try {
            link.setReadTimeout(FOREVER);
            while (isReceived(nextHeader(link), link, session, timeout)) {
                // A header may be large: no variable here keeps it while the next one is awaited.
            }
        } catch (RuntimeException | Error e) {
            fail(link, session, e);
        } catch (IOException e) {
            session.post(SessionEvent.PeerLost.of("file connection", e));
        }
    }

    /** Receives a file; returns false if that failed the session. */
    private static boolean isReceived(FileHeader header, IncomingLink link, Session session, Duration timeout)
            throws IOException {
        FileHeader.Route route = header.route();
        LogKeys.Scope scope = LogKeys.current().withTable(route.tableId()).enter();
        try {
            ReceivedTable table = session.tableOf(route);
            link.setReadTimeout(timeout);
            table.receive(header, link, session::received);
            link.setReadTimeout(FOREVER);
            session.post(new SessionEvent.FileReceived(route.tableId(), route.sequence(), header.countedFiles()));
            return true;
        } catch (ConnectionLostException | ClosedByInterruptException e) { // the latter when the session is over
            throw e;
        } catch (IOException | RuntimeException | Error e) {
            fail(link, session, e);
            return false;
        } finally {
            scope.leave();
        }
    }

    private static void fail(IncomingLink link, Session session, Throwable cause) {
        link.warn(LOG, cause);
        Failure failure = cause instanceof SSTableException
                ? new Failure(
                        ErrorCode.CORRUPT_IN_FLIGHT, String.valueOf(cause.getMessage())) // the disk is not to blame
                : Failure.of(cause);
        session.post(new SessionEvent.Failed(failure));
        VirtualMachineErrors.handOn(cause);
    }

    private static FileHeader nextHeader(IncomingLink link) throws IOException {
        while (true) {
            StreamMessage message = link.read();
            if (message instanceof FileHeader header) {
                return header;
            }
            if (!(message instanceof StreamMessage.KeepAlive)) {
                throw new StreamException(
                        ErrorCode.PROTOCOL,
                        message.getClass().getSimpleName() + " received on a file connection (expected: a file)");
            }
        }
    }
}
