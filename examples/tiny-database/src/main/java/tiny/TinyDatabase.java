package tiny;

import io.sluice.netty.StreamOptions;
import io.sluice.netty.StreamingNode;
import io.sluice.sstable.token.Token;
import io.sluice.streaming.plan.TopologyChange;
import io.sluice.streaming.plan.TopologyPlan;
import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.ring.Address;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.ring.Ring;
import io.sluice.streaming.store.TableRef;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;

/** A node with one table: HOME SELF RING [DEAD], as work/d d=7004 a=7001,b=7002,c=7003 c, where d replaces c. */
public final class TinyDatabase {
    static final TableRef USERS = new TableRef(new UUID(7, 7), "shop", "users"); // the same id on all nodes, for ever

    public static void main(String[] args) throws Exception {
        TinyTables tables = new TinyTables(Path.of(args[0]));
        Node self = node(args[1]);
        Ring ring = new Ring(Stream.of(args[2].split(",")).map(TinyDatabase::node).toList(), 2); // two have each row
        try (StreamingNode streaming = StreamingNode.start(self, StreamOptions.builder().build(), tables)) {
            if (args.length > 3) {
                PlanResult result = replace(node(args[3] + "=1"), self, streaming, ring);
                System.out.println(result.isComplete() ? "replaced " + args[3] : "failed: " + result.failure());
            }
            System.out.println("ready, reads " + tables.live());
            System.in.read(); // serves until its input ends
        }
    }

    /** Asks the living for what the dead one held, plans who sends which part of it, streams it, and makes it live. */
    private static PlanResult replace(Node dead, Node self, StreamingNode streaming, Ring ring) throws Exception {
        TopologyPlan plan = streaming.plan(new TopologyChange.Replace(dead, self), Map.of(USERS, ring)).get();
        System.out.println(plan.explanation());
        return streaming.execute(plan).get();
    }

    /** NAME=PORT on this machine. Its token is that of its name: evenly spread, and the same wherever one asks. */
    private static Node node(String text) {
        String[] words = text.split("=");
        UUID id = UUID.nameUUIDFromBytes(words[0].getBytes());
        List<Token> tokens = List.of(new Token(id.getMostSignificantBits()));
        return new Node(id, words[0], Address.parse("127.0.0.1:" + words[1]), tokens);
    }
}
