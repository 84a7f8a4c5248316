package io.sluice.cassandra.send;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.uuid.Uuids;
import io.sluice.cassandra.net.CassandraLinks;
import io.sluice.sstable.SSTable;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.component.Version;
import io.sluice.sstable.data.WriterOptions;
import io.sluice.sstable.generate.DataSet;
import io.sluice.sstable.generate.DataSetWriter;
import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.session.Failure;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A push that is cancelled while it cuts slices, before it connects: nobody listens at its address. */
class PushTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final TokenRanges MOST = TokenRanges.of(TokenRange.of(Long.MIN_VALUE + 1, Long.MAX_VALUE / 2));

    @TempDir
    private Path temp = Path.of("");

    private final AtomicInteger cut = new AtomicInteger();

    private List<SSTableTransfer> slices(int count) throws IOException {
        List<SSTableTransfer> slices = new ArrayList<>();
        List<Descriptor> written = new DataSetWriter(DataSet.ofBytes(1, 1 << 20), Version.NB, WriterOptions.DEFAULTS)
                .write(temp, TokenRanges.FULL.ranges(), count, 1);
        for (Descriptor descriptor : written) {
            slices.add(new SSTableTransfer.Slice(SSTable.open(temp, descriptor), MOST, 1));
        }
        return slices;
    }

    /** @param onCut is called after each slice */
    private Push push(List<SSTableTransfer> transfers, CassandraLinks links, Runnable onCut) {
        InetSocketAddress nobody = new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);
        var order = new Push.Order(nobody, Uuids.timeBased(), 0, new UUID(1, 2), transfers, 1, PATIENCE);
        return new Push(order, links, new SharedThrottle(0), new Push.Listener() {
            @Override
            public void sent(long lengthBytes) {}

            @Override
            public void cut() {
                cut.incrementAndGet();
                onCut.run();
            }
        });
    }

    @Test
    void one_that_is_cancelled_cuts_nothing() throws Exception {
        try (CassandraLinks links = CassandraLinks.create(Optional.empty(), 1, PATIENCE)) {
            Push push = push(slices(2), links, () -> {});
            push.cancel();

            assertThat(push.run()).map(Failure::code).contains(ErrorCode.CANCELLED);
            assertThat(cut).hasValue(0);
        }
    }

    @Test
    void one_that_is_cancelled_while_it_cuts_cuts_no_more() throws Exception {
        List<Push> self = new ArrayList<>();
        try (CassandraLinks links = CassandraLinks.create(Optional.empty(), 1, PATIENCE)) {
            Push push = push(slices(3), links, () -> self.get(0).cancel());
            self.add(push);

            assertThat(push.run()).map(Failure::code).contains(ErrorCode.CANCELLED);
            assertThat(cut).hasValue(1);
        }
    }
}
