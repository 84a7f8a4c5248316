package io.sluice.streaming.session;

import static java.util.stream.Collectors.joining;

import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Crc32Combination;
import io.sluice.streaming.message.ComponentManifest;
import io.sluice.streaming.message.Extent;
import java.util.ArrayList;
import java.util.List;

/** The received extents of a file, with their checksums: 9 bytes for 8 MiB. Not thread-safe. */
final class FileExtents {
    private final ComponentManifest manifest;
    private final int extentLengthBytes;
    private final int[] crc32s;
    private final boolean[] isHere;
    private int here;
    private boolean isVerified;
    private int mismatches;
    private boolean isChecksumRequested;
    private final List<Integer> sums = new ArrayList<>();

    FileExtents(ComponentManifest manifest, int extentLengthBytes) {
        this.manifest = manifest;
        this.extentLengthBytes = extentLengthBytes;
        int extents = Math.toIntExact(
                (manifest.lengthBytes() + extentLengthBytes - 1) / extentLengthBytes); // at most 2^21: 16 TiB
        this.crc32s = new int[extents];
        this.isHere = new boolean[extents];
    }

    Component component() {
        return manifest.component();
    }

    long lengthBytes() {
        return manifest.lengthBytes();
    }

    int extents() {
        return crc32s.length;
    }

    private int lengthOf(int extent) {
        return (int) Math.min(extentLengthBytes, manifest.lengthBytes() - (long) extent * extentLengthBytes);
    }

    /** Whether this is an extent of the file that has not been received. */
    boolean accepts(Extent extent) {
        long number = extent.offset() / extentLengthBytes;
        return extent.offset() % extentLengthBytes == 0
                && number < crc32s.length
                && !isHere[(int) number]
                && extent.lengthBytes() == lengthOf((int) number);
    }

    void land(Extent extent, long crc32) {
        int number = (int) (extent.offset() / extentLengthBytes);
        isHere[number] = true;
        crc32s[number] = (int) crc32;
        here++;
    }

    boolean isFull() {
        return here == crc32s.length;
    }

    /** Whether the file is full, and the combined checksum of its extents equals the manifest's; combined once. */
    boolean isRight() {
        isVerified = isVerified || (isFull() && checksum(crc32s) == manifest.crc32());
        return isVerified;
    }

    /** The checksum of the received file. */
    long checksum() {
        return checksum(crc32s);
    }

    /** The checksum of a file with these extent checksums. */
    long checksum(int[] parts) {
        long crc32 = 0;
        for (int i = 0; i < parts.length; i++) {
            crc32 = Crc32Combination.combine(crc32, parts[i] & 0xffff_ffffL, lengthOf(i));
        }
        return crc32;
    }

    long expectedChecksum() {
        return manifest.crc32();
    }

    /** The first missing extent from {@code number} on; {@link #extents} if there is none. */
    int firstMissing(int number) {
        int first = number;
        while (first < isHere.length && isHere[first]) {
            first++;
        }
        return first;
    }

    /** An extent of the file by its number. */
    Extent extent(int offer, int number) {
        return new Extent(offer, manifest.component(), (long) number * extentLengthBytes, lengthOf(number));
    }

    /** Forgets a received extent; returns its length. */
    int forget(int extent) {
        isHere[extent] = false;
        isVerified = false;
        here--;
        return lengthOf(extent);
    }

    /** Counts a checksum mismatch; returns the number so far. */
    int countDamage() {
        sums.clear();
        isChecksumRequested = true;
        return ++mismatches;
    }

    int mismatches() {
        return mismatches;
    }

    /**
     * Adds a page of the checksums that the source reads now.
     *
     * @return whether they were requested, and continue the previous page
     */
    boolean addSums(int first, List<Integer> page, boolean isLast) {
        boolean isEndless = page.isEmpty() && !isLast;
        if (!isChecksumRequested || isEndless || first != sums.size() || sums.size() + page.size() > crc32s.length) {
            return false;
        }
        sums.addAll(page);
        isChecksumRequested = !isLast;
        return !isLast || sums.size() == crc32s.length;
    }

    /** The file's checksum as the source reads it now. */
    long checksumAtSource() {
        return checksum(sums.stream().mapToInt(Integer::intValue).toArray());
    }

    /** The extents whose received bytes differ from those at the source. */
    List<Integer> differing() {
        List<Integer> differing = new ArrayList<>();
        for (int i = 0; i < crc32s.length; i++) {
            if (crc32s[i] != sums.get(i)) {
                differing.add(i);
            }
        }
        return differing;
    }

    /** "offset 8388608, offset 16777216": the offsets of the first of some extents. */
    String offsets(List<Integer> extents) {
        String first = extents.stream()
                .limit(3)
                .map(number -> "offset " + (long) number * extentLengthBytes)
                .collect(joining(", "));
        return extents.size() > 3 ? first + " and " + (extents.size() - 3) + " more" : first;
    }
}
