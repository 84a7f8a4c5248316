package io.sluice.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.engine.Engine;
import io.sluice.streaming.message.Message;
import io.sluice.streaming.runtime.PeerChannel;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** In which pages a source offers SSTables. */
class FirstOffersTest {
    /** The receiver's end of a session, on which everything comes through. */
    private static final class Receiver extends OpenChannel {
        final List<Integer> pages = new ArrayList<>();

        @Override
        public void send(Message message, Consumer<Boolean> end) {
            if (message instanceof Message.PrepareSynAck page) {
                pages.add(page.offers().size());
            }
            end.accept(true);
        }
    }

    @Test
    void the_first_page_has_one_and_each_next_one_twice_as_many() throws IOException {
        try (TwoEngines cluster = new TwoEngines(10, 2)) {
            Engine engine = cluster.engine(cluster.source);
            Receiver channel = new Receiver();
            PeerChannel.Listener source = engine.accept(channel, cluster.hello(), "");
            source.onMessage(channel, new Message.StreamInit(1));
            List<Message.TableRequest> all = cluster.tables.stream()
                    .map(table -> new Message.TableRequest(table.id(), TokenRanges.FULL))
                    .toList();
            source.onMessage(channel, new Message.PrepareSyn(all, true));

            cluster.pass(Duration.ofSeconds(10));

            assertThat(channel.pages).as("of ten tables with two SSTables each").containsExactly(1, 2, 4, 8, 5);
        }
    }
}
