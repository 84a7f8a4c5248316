package io.sluice.streaming.install;

import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import io.sluice.streaming.message.ComponentManifest;
import io.sluice.streaming.message.SSTableOffer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;

/**
 * Identifies the content of an SSTable, independent of node and name: its version, and length and checksum of each
 * component. SSTables with equal fingerprints are interchangeable. Immutable.
 *
 * @param version as in a descriptor, {@code nb}
 */
record SSTableFingerprint(String version, List<ComponentManifest> components) {
    private static final int CRC32_DIGITS = 8;

    SSTableFingerprint {
        components = components.stream()
                .sorted(Comparator.comparing(ComponentManifest::component))
                .toList();
    }

    static SSTableFingerprint of(SSTableOffer offer) {
        return new SSTableFingerprint(offer.source().version().letters(), offer.components());
    }

    /** Encodes it as words separated by blanks: {@code nb Data.db:1234:89abcdef …}. */
    String encode() {
        StringBuilder text = new StringBuilder(version);
        for (ComponentManifest manifest : components) {
            text.append(' ').append(manifest.component().fileName());
            text.append(':').append(manifest.lengthBytes());
            text.append(':').append(HexFormat.of().toHexDigits(manifest.crc32(), CRC32_DIGITS));
        }
        return text.toString();
    }

    /**
     * The opposite of {@link #encode}.
     *
     * @throws IOException if the words are malformed
     */
    static SSTableFingerprint decode(List<String> words) throws IOException {
        List<ComponentManifest> components = new ArrayList<>();
        for (String word : words.subList(1, words.size())) {
            String[] parts = word.split(":", -1);
            if (parts.length != 3) {
                throw new IOException("component '" + word + "' (expected: name:length:checksum)");
            }
            components.add(
                    new ComponentManifest(component(parts[0]), Long.parseLong(parts[1]), Long.parseLong(parts[2], 16)));
        }
        return new SSTableFingerprint(words.get(0), components);
    }

    static Component component(String fileName) throws IOException {
        return Component.ofFileName(fileName)
                .orElseThrow(() -> new IOException("component '" + fileName + "' is not known"));
    }

    static Descriptor descriptor(String text) throws IOException {
        return Descriptor.parse(text + "-" + Component.DATA.fileName())
                .orElseThrow(() -> new IOException("SSTable '" + text + "' has an unknown format"))
                .descriptor();
    }
}
