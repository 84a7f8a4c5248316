package io.sluice.harness.content;

import com.google.common.collect.Lists;
import com.google.common.util.concurrent.ThreadFactoryBuilder;
import io.sluice.sstable.SSTable;
import io.sluice.sstable.merge.ContentDigest;
import io.sluice.sstable.token.Token;
import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Computes digests of token ranges side by side, on as many threads as it is given: whoever else needs the processors
 * keeps the others. Thread-safe; owns its threads.
 */
public final class DigestWorkers implements AutoCloseable {
    /** Rows are not spread evenly over tokens: whoever has the smaller parts takes more of them. */
    private static final int PARTS_PER_THREAD = 4;

    private final int threads;
    private final ExecutorService workers;

    /** @param threads at least 1 */
    public DigestWorkers(int threads) {
        this.threads = threads;
        this.workers = Executors.newFixedThreadPool(
                threads,
                new ThreadFactoryBuilder()
                        .setNameFormat("sluice-digest-%d")
                        .setDaemon(true)
                        .build());
    }

    /**
     * Digests of the rows of each range, in their order; decodes all of them.
     *
     * @throws IOException if a file cannot be read, or the thread is interrupted while it waits
     */
    public List<RangeDigest> rows(List<SSTable> sstables, List<TokenRange> ranges) throws IOException {
        int partsOfEach = Math.max(1, threads * PARTS_PER_THREAD / Math.max(1, ranges.size()));
        List<List<TokenRange>> parts =
                ranges.stream().map(range -> parts(range, partsOfEach)).toList();
        List<ContentDigest> digests = all(parts.stream()
                .flatMap(List::stream)
                .<Callable<ContentDigest>>map(part -> () -> ContentDigest.of(sstables, TokenRanges.of(part)))
                .toList());
        List<RangeDigest> sums = new ArrayList<>();
        int next = 0;
        for (int i = 0; i < ranges.size(); i++) {
            ContentDigest sum = ContentDigest.EMPTY;
            for (int part = 0; part < parts.get(i).size(); part++) {
                sum = sum.plus(digests.get(next++));
            }
            sums.add(new RangeDigest(ranges.get(i), sum));
        }
        return sums;
    }

    /**
     * Digests of the bytes in which each range is stored, in their order, by the checksums that are recorded; reads
     * neither the bytes nor a row.
     *
     * @throws IOException if a file cannot be read, or the thread is interrupted while it waits
     */
    public List<StoredDigest> recorded(List<SSTable> sstables, List<TokenRange> ranges) throws IOException {
        List<StoredRuns> runs = all(ranges.stream()
                .<Callable<StoredRuns>>map(range -> () -> StoredRuns.recorded(sstables, List.of(range)))
                .toList());
        return StoredRuns.digests(runs, ranges);
    }

    /**
     * The hashes of what is stored in each range, in several parts; reads all of it, and verifies every checksum.
     *
     * @throws IOException if a file cannot be read, or the thread is interrupted while it waits
     */
    public List<StoredRuns> verified(List<SSTable> sstables, List<TokenRange> ranges) throws IOException {
        int groups = Math.max(1, threads * PARTS_PER_THREAD / Math.max(1, ranges.size()));
        List<List<SSTable>> parts = Lists.partition(sstables, Math.max(1, (sstables.size() + groups - 1) / groups));
        return all(ranges.stream()
                .flatMap(range -> parts.stream()
                        .<Callable<StoredRuns>>map(part -> () -> StoredRuns.verified(part, List.of(range))))
                .toList());
    }

    /** Begins to read and hash what an SSTable stores in each range, on one thread. */
    public Future<StoredRuns> begin(Callable<SSTable> sstable, List<TokenRange> ranges) {
        return workers.submit(() -> StoredRuns.verified(List.of(sstable.call()), ranges));
    }

    private <T> List<T> all(List<Callable<T>> questions) throws IOException {
        List<Future<T>> asked = questions.stream().map(workers::submit).toList();
        try {
            List<T> answers = new ArrayList<>();
            for (Future<T> one : asked) {
                answers.add(one.get());
            }
            return answers;
        } catch (ExecutionException e) {
            if (e.getCause() instanceof IOException failed) {
                throw failed;
            }
            throw new IOException("a digest could not be computed: " + e.getCause(), e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while digests are computed");
        } finally {
            asked.forEach(one -> one.cancel(true));
        }
    }

    /** The same tokens, in at least {@code number} parts of the same width, as far as there are so many. */
    static List<TokenRange> parts(TokenRange range, int number) {
        if (number == 1) {
            return List.of(range);
        }
        List<TokenRange> parts = new ArrayList<>();
        for (TokenRange straight : TokenRanges.of(range).ranges()) { // an end of the lowest token is beyond the highest
            long tokens = straight.end().value() - straight.start().value(); // unsigned; 0 is all 2^64 of them
            long width = Math.max(1, Long.divideUnsigned(tokens - 1, number));
            Token start = straight.start();
            while (Long.compareUnsigned(straight.end().value() - start.value() - 1, width) >= 0) {
                Token end = new Token(start.value() + width);
                parts.add(new TokenRange(start, end));
                start = end;
            }
            parts.add(new TokenRange(start, straight.end()));
        }
        return parts;
    }

    @Override
    public void close() {
        workers.shutdownNow();
    }
}
