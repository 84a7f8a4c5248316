package io.sluice.streaming.install;

import io.sluice.streaming.progress.StreamActivity.VolumeSample;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** What plans have left in the staging directories of a node. */
public final class OrphanedFiles {
    private static final Set<String> OF_A_VOLUME =
            Set.of(StagingVolume.LOCK, Epochs.NAME, Owner.NAME, VolumeId.NAME, CompletePlans.NAME);

    private OrphanedFiles() {}

    /** Kept sets, sets in use, and what recovery quarantined. */
    public static List<Path> of(StagingArea area) throws IOException {
        List<Path> left = new ArrayList<>();
        for (VolumeSample volume : area.samples()) {
            try (Stream<Path> files = Files.list(volume.directory())) {
                files.filter(file -> !OF_A_VOLUME.contains(file.getFileName().toString()))
                        .forEach(left::add);
            }
        }
        return left;
    }
}
