package io.sluice.harness.scenario;

import io.sluice.harness.config.Fault;
import io.sluice.harness.config.Fault.Kind;
import io.sluice.harness.config.ScenarioFile.Operation;
import io.sluice.harness.report.ExpectedEnd;
import io.sluice.harness.scenario.ScenarioOptions.FaultPhase;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;

/**
 * One to three random faults, the same for the same seed. The operation may fail of them; begun again without faults it
 * has to succeed. Stateless.
 */
public final class Chaos {
    private static final int MAX_FAULTS = 3;
    private static final int MAX_SECONDS = 9;
    private static final long SLOW_BYTES_PER_SECOND = 1 << 20;

    private Chaos() {}

    /**
     * The faults of a seed.
     *
     * @param canFillDisks whether small disks can be mounted here
     * @param canLoseDisks whether a node has several, and one can be taken away here
     */
    public static FaultPhase of(long seed, Operation operation, boolean canFillDisks, boolean canLoseDisks) {
        SplittableRandom random = new SplittableRandom(seed);
        List<Kind> kinds = new ArrayList<>(
                List.of(Kind.KILL, Kind.FREEZE, Kind.CORRUPT, Kind.CUT, Kind.SLOW, Kind.SLOW_DISK, Kind.TERMINATE));
        // Of an operation with several receivers it is not known in time whose disk has to be a small one.
        if (canFillDisks && operation != Operation.DECOMMISSION && operation != Operation.REMOVENODE) {
            kinds.add(Kind.DISK_FULL);
        }
        if (canLoseDisks) {
            kinds.add(Kind.DISK_LOST);
        }
        List<Fault> faults = new ArrayList<>();
        int count = random.nextInt(1, MAX_FAULTS + 1);
        for (int i = 0; i < count; i++) {
            faults.add(fault(kinds.get(random.nextInt(kinds.size())), random));
        }
        return new FaultPhase(faults, 1, ExpectedEnd.INSTALLED);
    }

    private static Fault fault(Kind kind, SplittableRandom random) {
        double at = random.nextInt(0, 90) / 100.0;
        Optional<Integer> lasts = Optional.of(random.nextInt(1, MAX_SECONDS + 1));
        boolean isAtSource = random.nextBoolean();
        return switch (kind) {
            case KILL, TERMINATE ->
                new Fault(kind, at, end(isAtSource), Optional.empty(), Optional.empty(), Optional.empty());
            case CORRUPT -> new Fault(kind, at, Fault.SOURCE, Optional.empty(), Optional.empty(), Optional.empty());
            case FREEZE, CUT -> new Fault(kind, at, end(isAtSource), Optional.empty(), lasts, Optional.empty());
            case DISK_FULL, DISK_LOST -> new Fault(kind, at, Fault.RECEIVER, Optional.empty(), lasts, Optional.empty());
            case SLOW -> new Fault(kind, at, Fault.SOURCE, Optional.empty(), lasts, Optional.of(SLOW_BYTES_PER_SECOND));
            case SLOW_DISK ->
                new Fault(kind, at, Fault.RECEIVER, Optional.empty(), lasts, Optional.of(SLOW_BYTES_PER_SECOND));
        };
    }

    private static String end(boolean isAtSource) {
        return isAtSource ? Fault.SOURCE : Fault.RECEIVER;
    }
}
