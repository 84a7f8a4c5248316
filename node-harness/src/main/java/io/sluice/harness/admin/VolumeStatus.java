package io.sluice.harness.admin;

import io.sluice.streaming.progress.StreamActivity.VolumeSample;
import java.util.Optional;

/**
 * A data volume of a node, as {@link VolumeSample}. Immutable.
 *
 * @param directory of its staging
 * @param freeBytes that may still be received there
 * @param reservedBytes for what is being received
 * @param headroomBytes left to the database
 * @param operations that wait for its disk
 * @param failure why nothing is received there; empty if all is well
 */
public record VolumeStatus(
        String directory,
        long freeBytes,
        long reservedBytes,
        long headroomBytes,
        int operations,
        Optional<String> failure) {
    /** As the engine says it. */
    public static VolumeStatus of(VolumeSample sample) {
        return new VolumeStatus(
                sample.directory().toString(),
                sample.freeBytes(),
                sample.reservedBytes(),
                sample.headroomBytes(),
                sample.operations(),
                sample.failure());
    }
}
