package io.sluice.harness.node;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.exc.ValueInstantiationException;
import io.sluice.harness.admin.AdminRequests;
import io.sluice.harness.admin.Refusal;
import io.sluice.harness.http.Answer;
import io.sluice.harness.http.HttpEndpoint;
import io.sluice.harness.json.Json;
import io.sluice.sstable.component.Printable;
import io.sluice.streaming.store.Authorizer.Access;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The admin requests of a node: a closed set of verbs with typed arguments. Thread-safe.
 *
 * @param stop runs on a thread of the endpoint when a request asks the node to stop
 */
record AdminVerbs(RunningNode node, Runnable stop) implements HttpEndpoint.Handler {
    private static final Logger LOG = LoggerFactory.getLogger(AdminVerbs.class);
    private static final String FETCH_STATE = "GET /fetch/";

    /** Requests that are not administration: reads and writes of a client of the database. */
    private static final Set<String> DATA = Set.of("POST /write", "POST /read", "POST /digest", "POST /stored-digest");

    /** The identity of every caller: whoever knows the token. */
    private static final String WHO = "admin token";

    private static final int SHOWN_BYTES = 200;

    /**
     * Carries out an administrative request if the database's authorizer allows it, and reports it to the auditor with
     * its outcome.
     */
    @Override
    public Answer answer(String request, byte[] body) {
        if (!request.startsWith("POST ") || DATA.contains(request)) {
            return perform(request, body);
        }
        Access access = node.peerAccess().mayAdminister(WHO, request);
        Answer answer = access.isGranted()
                ? perform(request, body)
                : Answer.refused(403, "the database's authorizer denies this request: " + access.reason());
        node.peerAccess().administered(WHO, request + " " + shown(body), result(answer));
        return answer;
    }

    private static String shown(byte[] body) {
        return new String(body, 0, Math.min(body.length, SHOWN_BYTES), StandardCharsets.UTF_8);
    }

    private static String result(Answer answer) {
        return answer.body() instanceof Refusal refusal ? answer.status() + ": " + refusal.reason() : "done";
    }

    private Answer perform(String request, byte[] body) {
        try {
            return answerTo(request, body);
        } catch (JsonProcessingException e) {
            return Answer.refused(400, notUnderstood(request, e));
        } catch (IllegalArgumentException e) {
            return Answer.refused(400, Refusal.because(e).reason());
        } catch (IOException | RuntimeException e) {
            LOG.warn("admin request {} failed", Printable.text(request), e);
            return new Answer(500, Refusal.because(e));
        }
    }

    /**
     * Describes an invalid body by its position, without our class names; includes the objection of a value's
     * constructor.
     */
    private static String notUnderstood(String request, JsonProcessingException e) {
        if (e instanceof ValueInstantiationException && e.getCause() != null) {
            return Refusal.because(e.getCause()).reason();
        }
        String place = e.getLocation() == null
                ? ""
                : " at line " + e.getLocation().getLineNr() + ", column "
                        + e.getLocation().getColumnNr();
        return Printable.text(request) + ": invalid body" + place + " (expected: the request's arguments as JSON)";
    }

    private Answer answerTo(String request, byte[] body) throws IOException {
        if (request.startsWith(FETCH_STATE)) {
            return Answer.ok(node.fetchState(UUID.fromString(request.substring(FETCH_STATE.length()))));
        }
        return switch (request) {
            case "GET /status" -> Answer.ok(node.status());
            case "POST /fetch" -> Answer.ok(node.fetch(read(body, AdminRequests.Fetch.class)));
            case "POST /digest" -> Answer.ok(node.digests(read(body, AdminRequests.Digest.class)));
            case "POST /stored-digest" -> Answer.ok(node.stored(read(body, AdminRequests.Digest.class)));
            case "GET /netstats" -> Answer.ok(node.netStats());
            case "POST /cancel" -> done(() -> node.cancel(read(body, AdminRequests.Cancel.class)), "cancelled");
            case "POST /pause" -> done(() -> node.pause(read(body, AdminRequests.Pause.class)), "done");
            case "POST /prioritize" -> done(() -> node.prioritize(read(body, AdminRequests.Prioritize.class)), "done");
            case "POST /clear-hold" -> done(() -> node.clearHold(read(body, AdminRequests.ClearHold.class)), "cleared");
            case "POST /throughput" ->
                done(() -> node.setThroughput(read(body, AdminRequests.Throughput.class)), "set");
            case "POST /disk-rate" -> done(() -> node.setDiskRate(read(body, AdminRequests.DiskRate.class)), "set");
            case "POST /tables" -> done(() -> node.createTable(read(body, AdminRequests.CreateTable.class)), "created");
            case "POST /write" -> done(() -> node.write(read(body, AdminRequests.Write.class)), "written");
            case "POST /read" -> Answer.ok(node.read(read(body, AdminRequests.Read.class)));
            case "POST /truncate" -> done(() -> node.truncate(read(body, AdminRequests.OnTable.class)), "truncated");
            case "POST /drop" -> done(() -> node.drop(read(body, AdminRequests.OnTable.class)), "dropped");
            case "POST /compact" -> done(() -> node.compact(read(body, AdminRequests.OnTable.class)), "compacted");
            case "POST /flush" -> done(() -> node.flush(), "flushed");
            case "POST /take-part" -> done(() -> node.takePart(read(body, AdminRequests.TakePart.class)), "noted");
            case "POST /stop" -> done(() -> stop.run(), "stopping");
            default ->
                Answer.refused(
                        404,
                        Printable.text(request)
                                + ": unknown (expected: GET /status, /netstats, /fetch/PLAN or POST /fetch, /digest,"
                                + " /stored-digest,"
                                + " /tables, /write, /read, /truncate, /drop, /compact, /flush, /take-part, /cancel, /pause, /prioritize,"
                                + " /clear-hold, /throughput, /disk-rate, /stop)");
        };
    }

    private interface AdminAction {
        void run() throws IOException;
    }

    private static Answer done(AdminAction deed, String word) throws IOException {
        deed.run();
        return Answer.ok(word);
    }

    private static <T> T read(byte[] body, Class<T> order) throws IOException {
        return Json.ORDERS.readValue(body, order);
    }
}
