package io.sluice.streaming.install;

import io.sluice.sstable.token.TokenRange;
import io.sluice.streaming.plan.StreamPlan;
import io.sluice.streaming.plan.StreamRequest;
import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.progress.PlanResult.LiveWrites;
import io.sluice.streaming.ring.Address;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.store.TableRef;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.zip.CRC32;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The results of the latest complete plans, so that they are not executed again, also after a restart: a small file in
 * the root of staging. It keeps the latest 1,000, or fewer if their results have more than 4 MiB together: about 42
 * bytes for each range of a table from a source, so 3.2 MB for 100 tables with 768 ranges each. A result of more than 4
 * MiB is not recorded, with a warning. Failed plans are not recorded: they may be executed again under the same id
 * after a restart.
 *
 * <p>Layout: a first line with the node, then for each plan its lines and a last line with their CRC-32. A plan is
 * appended, so that its cost does not grow with the plans before it; the file is written anew when most of it is of
 * plans that are forgotten. What follows an unreadable line, and a file of another node, is ignored: those plans could
 * then be executed again, which fetches the same rows once more.
 *
 * <p>Thread-safe. Reading a result never waits for the disk.
 */
public final class CompletePlans {
    static final String NAME = "complete-plans";

    private static final Logger LOG = LoggerFactory.getLogger(CompletePlans.class);
    private static final String FIRST_WORDS = "sluice-complete-plans 3 ";
    private static final int MOST_PLANS = 1_000;
    private static final int MOST_BYTES = 4 << 20;
    /** The file may have so many bytes more than twice those of the plans before it is written anew. */
    private static final int FORGOTTEN_BYTES = 1 << 16;
    /** With room for checksums. */
    private static final int MOST_FILE_BYTES = 2 * MOST_BYTES + 2 * FORGOTTEN_BYTES;

    private static final long TO_WRITE_ANEW = -1;

    private final Disk disk;
    private final Path file;
    private final String firstLine;

    private final Lock writing = new ReentrantLock();
    /**
     * Guarded by that lock: the length of the file, or {@link #TO_WRITE_ANEW} if it must not be appended to. The first
     * plan of a process writes it anew: what is found may not be durable.
     */
    private long fileBytes = TO_WRITE_ANEW;

    // Guarded by the map itself; the oldest first.
    private final Map<UUID, Complete> plans;
    /** Of their texts, in letters; guarded by the map, too. */
    private long keptLength;

    /**
     * An executed plan.
     *
     * @param asked a digest of its requests
     * @param text its lines in the file, but for the checksum
     */
    record Complete(String asked, PlanResult result, String text) {}

    /**
     * The content of a file.
     *
     * @param end why the plans end: the first line that is corrupt, torn, of another node, or unknown to this version
     */
    record Contents(Map<UUID, Complete> plans, Optional<UnreadableLineException> end) {}

    private CompletePlans(Disk disk, Path file, String firstLine, Map<UUID, Complete> plans) {
        this.disk = disk;
        this.file = file;
        this.firstLine = firstLine;
        this.plans = plans;
        this.keptLength =
                plans.values().stream().mapToLong(each -> each.text.length()).sum();
    }

    /**
     * Reads the plans of an earlier process of {@code node}.
     *
     * @param root of staging
     * @throws IOException if this thread is interrupted, so that it cannot read the file
     */
    public static CompletePlans open(Disk disk, Path root, UUID node) throws IOException {
        Path file = root.resolve(NAME);
        String firstLine = FIRST_WORDS + node;
        Map<UUID, Complete> plans = new LinkedHashMap<>();
        if (disk.exists(file)) {
            try {
                Contents contents = decode(disk.read(file, MOST_FILE_BYTES), firstLine);
                plans = contents.plans();
                if (contents.end().isPresent()) {
                    throw contents.end().get();
                }
            } catch (IOException e) {
                if (Thread.currentThread().isInterrupted()) {
                    throw e; // it could not read the file, which may be whole
                }
                LOG.warn("{}: ignored, but for {} plans, and rewritten: {}", file, plans.size(), e.getMessage());
            }
        }
        CompletePlans complete = new CompletePlans(disk, file, firstLine, plans);
        synchronized (plans) {
            complete.forgetOldest();
        }
        return complete;
    }

    /**
     * The result of {@code plan} if it was complete.
     *
     * @throws IllegalArgumentException if another plan had its id
     */
    public Optional<PlanResult> result(StreamPlan plan) {
        Complete known;
        synchronized (plans) {
            known = plans.get(plan.id());
        }
        if (known != null && !known.asked.equals(asked(plan))) {
            throw new IllegalArgumentException(
                    "plan " + plan.id() + " has the id of another plan (expected: a new id)");
        }
        return Optional.ofNullable(known).map(Complete::result);
    }

    /**
     * Records the result of a plan durably, unless it is too long; removes the oldest results if there are too many.
     *
     * @throws IOException if it cannot be made durable; it is then known until the process ends
     */
    public void add(StreamPlan plan, PlanResult result) throws IOException {
        String asked = asked(plan);
        String text = encode(plan.id(), asked, result);
        if (text.length() > MOST_BYTES) {
            LOG.warn(
                    "plan {}: its result of {} bytes is too long to record (expected: at most {}); a restarted node would"
                            + " execute it again",
                    plan.id(),
                    text.length(),
                    MOST_BYTES);
            return;
        }
        long keptBytes;
        synchronized (plans) {
            Complete before = plans.remove(plan.id()); // the latest is the last one
            keptLength += text.length() - (before == null ? 0 : before.text.length());
            plans.put(plan.id(), new Complete(asked, result, text));
            forgetOldest();
            keptBytes = keptLength;
        }
        writing.lock();
        try {
            write(SealedText.seal(text), keptBytes);
        } finally {
            writing.unlock();
        }
    }

    /** Removes the oldest plans if there are too many. Under the lock of the plans. */
    private void forgetOldest() {
        Iterator<Complete> oldest = plans.values().iterator();
        while (plans.size() > MOST_PLANS || keptLength > MOST_BYTES) {
            keptLength -= oldest.next().text.length();
            oldest.remove();
        }
    }

    /** Under the lock of the file. A plan may be there twice: those that were added meanwhile are written anew, too. */
    private void write(byte[] sealed, long keptBytes) throws IOException {
        long length = fileBytes;
        fileBytes = TO_WRITE_ANEW; // unless this succeeds
        boolean isAsLeft = length != TO_WRITE_ANEW && disk.exists(file) && disk.size(file) == length;
        if (!isAsLeft || length + sealed.length > 2 * keptBytes + FORGOTTEN_BYTES) {
            byte[] all = body();
            disk.publish(file, all);
            fileBytes = all.length;
        } else {
            try (DiskFile open = disk.open(file)) {
                open.writeFully(ByteBuffer.wrap(sealed), length);
                open.sync();
            }
            fileBytes = length + sealed.length;
        }
    }

    private byte[] body() {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        body.writeBytes((firstLine + "\n").getBytes(StandardCharsets.UTF_8));
        synchronized (plans) {
            plans.values().forEach(each -> body.writeBytes(SealedText.seal(each.text)));
        }
        return body.toByteArray();
    }

    private static String asked(StreamPlan plan) {
        CRC32 crc = new CRC32();
        StringBuilder text = new StringBuilder();
        text.append(plan.operation()).append(plan.epoch());
        for (List<StreamRequest> requests : List.of(plan.requests(), plan.alternates())) {
            for (StreamRequest request : requests) {
                text.append(' ')
                        .append(request.source().id())
                        .append(request.table().id());
                text.append(request.ranges().ranges());
            }
            text.append('|');
        }
        crc.update(text.toString().getBytes(StandardCharsets.UTF_8));
        return crc.getValue() + "-" + text.length() + "-" + text.toString().hashCode();
    }

    private static String encode(UUID plan, String asked, PlanResult result) {
        StringBuilder text = new StringBuilder();
        text.append("plan ").append(plan).append(' ').append(asked);
        text.append(' ')
                .append(result.started())
                .append(' ')
                .append(result.ended())
                .append('\n');
        for (PlanResult.TableResult table : result.tables()) {
            text.append("table ")
                    .append(table.table().id())
                    .append(' ')
                    .append(word(table.table().keyspace()));
            text.append(' ').append(word(table.table().name())).append(' ').append(table.sstables());
            text.append(' ').append(table.bytes());
            text.append(' ')
                    .append(table.started())
                    .append(' ')
                    .append(table.ended())
                    .append('\n');
        }
        for (PlanResult.RangeResult part : result.ranges()) {
            text.append("range ")
                    .append(part.table().id())
                    .append(' ')
                    .append(word(part.source().name()));
            text.append(' ')
                    .append(part.source().id())
                    .append(' ')
                    .append(word(part.source().address().host()));
            text.append(' ').append(part.source().address().port());
            text.append(' ')
                    .append(part.writes().kind())
                    .append(' ')
                    .append(word(part.writes().since().map(Instant::toString).orElse("")));
            for (TokenRange range : part.ranges()) {
                text.append(' ')
                        .append(range.start().value())
                        .append(' ')
                        .append(range.end().value());
            }
            text.append('\n');
        }
        return text.toString();
    }

    /** Encodes a text without blanks; the result is never empty. */
    private static String word(String any) {
        return "'" + URLEncoder.encode(any, StandardCharsets.UTF_8);
    }

    private static String unworded(String word) {
        return URLDecoder.decode(word.substring(1), StandardCharsets.UTF_8);
    }

    /** Decodes a file that should begin with {@code firstLine}. */
    static Contents decode(byte[] bytes, String firstLine) {
        Map<UUID, Complete> plans = new LinkedHashMap<>();
        List<String> lines = List.of(new String(bytes, StandardCharsets.UTF_8).split("\n", -1));
        try {
            if (lines.size() == 1 || !lines.get(0).equals(firstLine)) {
                throw new UnreadableLineException(1, lines.get(0), firstLine);
            }
            int first = 1;
            for (int i = 1; i < lines.size() - 1; i++) { // behind the last line feed is nothing, or a torn line
                if (SealedText.isSeal(lines.get(i))) {
                    List<String> ofPlan = lines.subList(first, i);
                    SealedText.requireSeal(lines.get(i), i + 1, String.join("\n", ofPlan) + "\n");
                    decode(ofPlan, first + 1, plans);
                    first = i + 1;
                }
            }
            if (first != lines.size() - 1 || !lines.get(first).isEmpty()) {
                throw new UnreadableLineException(first + 1, lines.get(first), "a plan with its checksum");
            }
            return new Contents(plans, Optional.empty());
        } catch (UnreadableLineException unreadable) {
            return new Contents(plans, Optional.of(unreadable));
        }
    }

    /** @param first the number of the first of the lines of one plan */
    private static void decode(List<String> lines, int first, Map<UUID, Complete> plans)
            throws UnreadableLineException {
        try {
            decode(lines, plans);
        } catch (IllegalArgumentException | IndexOutOfBoundsException | DateTimeParseException malformed) {
            throw new UnreadableLineException(first, lines.isEmpty() ? "" : lines.get(0), malformed);
        }
    }

    private static void decode(List<String> lines, Map<UUID, Complete> plans) {
        String[] head = lines.get(0).split(" ", -1);
        UUID plan = UUID.fromString(head[1]);
        Map<UUID, TableRef> refs = new HashMap<>();
        List<PlanResult.TableResult> tables = new ArrayList<>();
        List<PlanResult.RangeResult> ranges = new ArrayList<>();
        for (String line : lines.subList(1, lines.size())) {
            String[] words = line.split(" ", -1);
            UUID id = UUID.fromString(words[1]);
            if (words[0].equals("table")) {
                TableRef table = new TableRef(id, unworded(words[2]), unworded(words[3]));
                refs.put(id, table);
                tables.add(new PlanResult.TableResult(
                        table,
                        Integer.parseInt(words[4]),
                        Long.parseLong(words[5]),
                        Instant.parse(words[6]),
                        Instant.parse(words[7]),
                        Optional.empty()));
            } else {
                List<TokenRange> tokens = new ArrayList<>();
                for (int i = 8; i < words.length; i += 2) {
                    tokens.add(TokenRange.of(Long.parseLong(words[i]), Long.parseLong(words[i + 1])));
                }
                ranges.add(new PlanResult.RangeResult(
                        refs.getOrDefault(id, new TableRef(id, "", "")),
                        tokens,
                        new Node(
                                UUID.fromString(words[3]),
                                unworded(words[2]),
                                new Address(unworded(words[4]), Integer.parseInt(words[5])),
                                List.of()),
                        PlanResult.Outcome.INSTALLED,
                        Optional.empty(),
                        new LiveWrites(LiveWrites.Kind.valueOf(words[6]), since(unworded(words[7])))));
            }
        }
        PlanResult result = new PlanResult(
                plan, Instant.parse(head[3]), Instant.parse(head[4]), Optional.empty(), tables, ranges, List.of());
        plans.remove(plan);
        plans.put(plan, new Complete(head[2], result, String.join("\n", lines) + "\n"));
    }

    private static Optional<Instant> since(String text) {
        return text.isEmpty() ? Optional.empty() : Optional.of(Instant.parse(text));
    }
}
