package io.sluice.harness.admin;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import io.sluice.harness.content.RangeDigest;
import io.sluice.harness.json.Json;
import io.sluice.harness.json.JsonTree;
import io.sluice.sstable.component.Printable;
import io.sluice.sstable.encoding.Bytes;
import io.sluice.streaming.ring.Address;
import java.io.IOException;
import java.lang.reflect.Type;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.UUID;

/** A client of the admin endpoint of one node. Thread-safe. */
public final class AdminClient {
    private static final Duration SHORT = Duration.ofSeconds(30);
    // A digest reads all files of a table: an hour is 100 GiB at 30 MiB/s.
    private static final Duration LONG = Duration.ofHours(1);

    private final String nodeName;
    private final Address address;
    private final AdminHttp http;

    public AdminClient(String nodeName, Address address, AdminToken token) {
        this.nodeName = nodeName;
        this.address = address;
        this.http = new AdminHttp(address, token);
    }

    /** Name of the node. */
    public String nodeName() {
        return nodeName;
    }

    /** Address of the endpoint. */
    public Address address() {
        return address;
    }

    public NodeInfo status() throws IOException {
        return call("GET", "/status", "", SHORT, new TypeReference<>() {});
    }

    /** Some of {@link #status}, for less CPU: for a command that asks this alone. */
    public NodeSummary summary() throws IOException {
        return call("GET", "/status", "", SHORT, text -> NodeSummary.of(JsonTree.read(text)));
    }

    /** Makes a node start to fetch; returns at once. */
    public FetchState fetch(AdminRequests.Fetch order) throws IOException {
        return call("POST", "/fetch", json(order), SHORT, new TypeReference<>() {});
    }

    /** Progress of a plan that the node was asked to fetch. */
    public FetchState fetchState(UUID planId) throws IOException {
        return call("GET", "/fetch/" + planId, "", SHORT, new TypeReference<>() {});
    }

    /** The digest of each range, in the order of the request; reads all of it from disk, so it may take long. */
    public List<RangeDigest> digests(AdminRequests.Digest order) throws IOException {
        return call("POST", "/digest", json(order), LONG, new TypeReference<>() {});
    }

    /**
     * The fingerprint of each range as stored, in the order of the request; reads all of it from disk, but decodes
     * nothing.
     */
    public List<AdminRequests.Stored> stored(AdminRequests.Digest order) throws IOException {
        return call("POST", "/stored-digest", json(order), LONG, new TypeReference<>() {});
    }

    /** Creates a table, unless it exists. */
    public void createTable(AdminRequests.CreateTable order) throws IOException {
        call("POST", "/tables", json(order), SHORT, new TypeReference<String>() {});
    }

    /** Stores mutations; when this returns, they are acknowledged. */
    public void write(UUID tableId, Bytes mutations) throws IOException {
        AdminRequests.Write order =
                new AdminRequests.Write(tableId, Base64.getEncoder().encodeToString(mutations.toArray()));
        call("POST", "/write", json(order), SHORT, new TypeReference<String>() {});
    }

    /** The node's rows in these partitions, as mutations. */
    public Bytes read(UUID tableId, List<String> keys) throws IOException {
        AdminRequests.Read order = new AdminRequests.Read(tableId, keys);
        AdminRequests.Found answer = call("POST", "/read", json(order), SHORT, new TypeReference<>() {});
        return Bytes.wrap(Base64.getDecoder().decode(answer.mutations()));
    }

    /** Truncates a table; when this returns, that is durable at the node. */
    public void truncate(AdminRequests.OnTable order) throws IOException {
        call("POST", "/truncate", json(order), LONG, new TypeReference<String>() {});
    }

    /** Drops a table; when this returns, that is durable at the node. */
    public void drop(AdminRequests.OnTable order) throws IOException {
        call("POST", "/drop", json(order), LONG, new TypeReference<String>() {});
    }

    /** Compacts a table into one SSTable, without tombstones that are no longer needed. */
    public void compact(AdminRequests.OnTable order) throws IOException {
        call("POST", "/compact", json(order), LONG, new TypeReference<String>() {});
    }

    /** Writes all that is in memory to SSTables. */
    public void flush() throws IOException {
        call("POST", "/flush", "", LONG, new TypeReference<String>() {});
    }

    /** Notifies the node which writes come to it. */
    public void takePart(AdminRequests.TakePart order) throws IOException {
        call("POST", "/take-part", json(order), SHORT, new TypeReference<String>() {});
    }

    /** What the node streams now. */
    public NetStats netStats() throws IOException {
        return call("GET", "/netstats", "", SHORT, new TypeReference<>() {});
    }

    /** Ends what the node fetches for one plan; what was not installed is dropped. */
    public void cancel(AdminRequests.Cancel order) throws IOException {
        call("POST", "/cancel", json(order), SHORT, new TypeReference<String>() {});
    }

    /** Has the node ask for nothing more of one plan, or go on with it. */
    public void pause(AdminRequests.Pause order) throws IOException {
        call("POST", "/pause", json(order), SHORT, new TypeReference<String>() {});
    }

    /** Makes a plan of the node more or less urgent. */
    public void prioritize(AdminRequests.Prioritize order) throws IOException {
        call("POST", "/prioritize", json(order), SHORT, new TypeReference<String>() {});
    }

    /** Lets a peer in again that is on hold. */
    public void clearHold(AdminRequests.ClearHold order) throws IOException {
        call("POST", "/clear-hold", json(order), SHORT, new TypeReference<String>() {});
    }

    /** Limits what the node sends from now on. */
    public void setThroughput(AdminRequests.Throughput order) throws IOException {
        call("POST", "/throughput", json(order), SHORT, new TypeReference<String>() {});
    }

    /** Makes the node's disk slow for what is streamed to it, or fast again. */
    public void setDiskRate(AdminRequests.DiskRate order) throws IOException {
        call("POST", "/disk-rate", json(order), SHORT, new TypeReference<String>() {});
    }

    /** Asks the process to end. */
    public void stop() throws IOException {
        call("POST", "/stop", "", SHORT, new TypeReference<String>() {});
    }

    /** Asks what an endpoint of another kind than a node's has under this path. */
    public <T> T ask(String path, Class<T> answer) throws IOException {
        return call("GET", path, "", SHORT, as(answer));
    }

    /** Gives an endpoint of another kind than a node's an order, which may take long. */
    public <T> T order(String path, Object order, Class<T> answer) throws IOException {
        return call("POST", path, json(order), LONG, as(answer));
    }

    /** Gives it an order whose answer comes within {@code timeout}, or the order has failed. */
    public <T> T order(String path, Object order, Class<T> answer, Duration timeout) throws IOException {
        return call("POST", path, json(order), timeout, as(answer));
    }

    private static <T> TypeReference<T> as(Class<T> type) {
        return new TypeReference<>() {
            @Override
            public Type getType() {
                return type;
            }
        };
    }

    /** Makes an answer out of its text. */
    private interface Reader<T> {
        T read(String text) throws IOException;
    }

    private <T> T call(String method, String path, String body, Duration timeout, TypeReference<T> answer)
            throws IOException {
        return call(method, path, body, timeout, (Reader<T>) text -> Json.MAPPER.readValue(text, answer));
    }

    private <T> T call(String method, String path, String body, Duration timeout, Reader<T> reader) throws IOException {
        AdminHttp.Answer response = send(method, path, body, timeout);
        try {
            if (response.status() != 200) {
                throw AdminException.refused(
                        nodeName + ": "
                                + Printable.text(JsonTree.read(response.body())
                                        .at("reason")
                                        .text()),
                        response.status());
            }
            return reader.read(response.body());
        } catch (JsonProcessingException e) {
            throw AdminException.silent(
                    nodeName + ": what answers at " + address + " is not the admin endpoint of a node", e);
        }
    }

    private AdminHttp.Answer send(String method, String path, String body, Duration timeout) throws IOException {
        try {
            return http.send(method, path, body, timeout);
        } catch (UnknownHostException e) {
            throw AdminException.silent(
                    nodeName + " is not known: no host is called " + Printable.text(address.host()), e);
        } catch (ConnectException e) {
            throw AdminException.silent(nodeName + " does not answer: nobody listens at " + address, e);
        } catch (SocketTimeoutException e) {
            throw AdminException.silent(silent() + " within " + timeout.toSeconds() + " s (overloaded or stopped?)", e);
        } catch (IOException e) {
            throw AdminException.silent(silent() + ": " + Refusal.because(e).reason(), e);
        }
    }

    private String silent() {
        String at = nodeName.equals(address.toString()) ? "" : " at " + address;
        return nodeName + " does not answer" + at;
    }

    private static String json(Object value) throws JsonProcessingException {
        return Json.ORDERS.writeValueAsString(value);
    }
}
