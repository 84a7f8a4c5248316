package io.sluice.streaming.transfer.partial;

import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.data.SSTableWriter;
import io.sluice.sstable.encoding.OutputFiles;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.transfer.channel.ChannelInput;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** A part of an SSTable that was received as a file: the complete stream of {@link PartialWriter}. Stateless. */
public final class PartialFile {
    private PartialFile() {}

    /**
     * Writes an SSTable of the rows of {@code part}.
     *
     * @param files where the SSTable is written
     * @param directory exists, without an SSTable of that descriptor
     * @param descriptor of a writable version
     * @param wanted the requested ranges
     * @return whether an SSTable was written: not if no partition had content
     * @throws StreamException of code {@link ErrorCode#CORRUPT_AT_SOURCE} if a chunk or a row is corrupt, otherwise as
     *     {@link PartialReader#receive}; then only the part is left
     * @throws IOException if the disk fails
     */
    public static boolean toSSTable(
            OutputFiles files, Path part, Path directory, Descriptor descriptor, TokenRanges wanted)
            throws IOException {
        try (FileChannel channel = FileChannel.open(part, StandardOpenOption.READ)) {
            ChannelInput in = new ChannelInput(channel);
            boolean isSSTable = new PartialReader(in, wanted)
                    .receive(files, directory, descriptor, options -> options)
                    .isPresent();
            if (!in.isAtEnd()) {
                SSTableWriter.clear(files, directory, descriptor); // it was complete before the surplus was read
                throw in.refused("more bytes (expected: the end of " + part.getFileName() + ")");
            }
            return isSSTable;
        } catch (StreamException damaged) {
            // The file equals the source's, or its checksum would have failed before.
            throw damaged.code() == ErrorCode.CORRUPT_IN_FLIGHT
                    ? new StreamException(ErrorCode.CORRUPT_AT_SOURCE, String.valueOf(damaged.getMessage()), damaged)
                    : damaged;
        }
    }
}
