package io.sluice.harness.replace;

import io.sluice.harness.admin.VolumeStatus;
import io.sluice.harness.report.ByteFormat;
import java.util.List;
import java.util.Optional;

/**
 * Whether the new node has room for what would be brought. What lands is imported by a rename, so it takes its room
 * once; compaction of it may take more later, as after any stream. Pure.
 */
final class Room {
    private Room() {}

    /** Bytes that may still land on the volumes of a node that can be used, without what is left to the database. */
    static long freeBytes(List<VolumeStatus> volumes) {
        return volumes.stream()
                .filter(volume -> volume.failure().isEmpty())
                .mapToLong(VolumeStatus::freeBytes)
                .sum();
    }

    /** Why there is not enough; empty if there is. */
    static Optional<String> refusal(Member target, long neededBytes) {
        List<VolumeStatus> volumes = target.status().volumes();
        long free = freeBytes(volumes);
        if (neededBytes <= free) {
            return Optional.empty();
        }
        long failed =
                volumes.stream().filter(volume -> volume.failure().isPresent()).count();
        long headroom = volumes.stream().mapToLong(VolumeStatus::headroomBytes).sum();
        String left = headroom == 0
                ? ""
                : ", beside " + ByteFormat.text(headroom) + " that are left to the database (min_free_space_per_drive)";
        return Optional.of("node " + target + " has room for " + bytes(free) + " on " + (volumes.size() - failed)
                + " of " + volumes.size() + " volumes" + left + ", and " + bytes(neededBytes)
                + " would be brought (expected: at least as much; add room, or bring less by --from one)");
    }

    private static String bytes(long bytes) {
        return ByteFormat.text(bytes) + (bytes < 1024 ? "" : " (" + bytes + " B)");
    }
}
