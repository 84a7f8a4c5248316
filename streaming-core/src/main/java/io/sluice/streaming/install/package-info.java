/**
 * From received bytes to a live table: staging, atomic and durable install, recovery at the start.
 *
 * <pre>
 * &lt;staging>/lock                       held while the process lives
 * &lt;staging>/&lt;plan>/&lt;table id>/         one set: the SSTables of one table of one plan, under their final names
 * &lt;staging>/&lt;plan>/&lt;table id>/journal  its received extents, for resume; checked before they are trusted
 * &lt;staging>/&lt;plan>/&lt;table id>/commit   once it is there (and its checksum is right) the set must become live
 * &lt;staging>/&lt;plan>/&lt;table id>/LIVE     the database has answered: only cleaning is left
 *
 * &lt;staging>/&lt;plan>/&lt;table id>/commit-copy  a copy, published before it: one bad sector must not lose the decision
 * &lt;staging>/volume                    where there are several volumes, one staging directory on each: its id
 * &lt;staging>/&lt;plan>/&lt;table id>/commit-part  a part of a set with its commit file on another volume
 * &lt;staging>/complete-plans            results of the latest complete plans, so that they are not executed again
 * &lt;staging>/quarantine/                sets that recovery could not read, each with a text that explains why
 *
 * journal, text, lines end in \n, each with the CRC-32 of what stands before its last blank as 8 hex digits at its end:
 *   sluice-journal-1 &lt;table uuid> &lt;crc32>
 *   sstable &lt;descriptor> &lt;version> &lt;component>:&lt;length>:&lt;crc32> ... &lt;crc32>      files with this content land under this name
 *   landed &lt;descriptor> &lt;component> &lt;offset> &lt;length> &lt;crc32 of the bytes> &lt;crc32>
 *
 * commit file, text, lines end in \n:
 *   sluice-commit 1
 *   install &lt;uuid>
 *   table &lt;uuid>
 *   sstable &lt;descriptor>                one line for each
 *   index &lt;name>                        one line for each index that the database is to build
 *   file &lt;length> &lt;file name>           one line for each file of all of them
 *   crc32 &lt;8 hex digits>                CRC32 of all bytes before this line
 * of a set on several volumes the first line is "sluice-commit 2"; files after a line "volume &lt;uuid>" lie on that one
 * with checksums it is "sluice-commit 3", on one volume and on several: behind the name of a file is its CRC-32 as 8 hex
 * digits, if it is known; recovery reads the file before it makes the set live
 *
 * commit-part, text, lines end in \n; LIVE beside it says "refused" if the database did not want the set:
 *   sluice-commit-part 1
 *   install &lt;uuid>
 *   volume &lt;uuid>                       of the commit file
 *   file &lt;file name>                    one line for each file of the set on this volume
 *   crc32 &lt;8 hex digits>
 *
 * complete-plans; after the first line each plan is appended, the latest of an id counts:
 *   sluice-complete-plans 3 &lt;node uuid>
 *   plan &lt;uuid> &lt;digest of its requests> &lt;start> &lt;end>
 *   table ...                           one line for each table
 *   range ...                           one line for the ranges from each source
 *   crc32 &lt;8 hex digits>                CRC32 of the lines of this plan before this line
 * </pre>
 */
@NullMarked
package io.sluice.streaming.install;

import org.jspecify.annotations.NullMarked;
