/**
 * From received bytes to a live table: landing, durable install in one step, recovery at start-up.
 *
 * <pre>
 * &lt;staging>/lock                       held while the process lives
 * &lt;staging>/&lt;plan>/&lt;table id>/         one set: the SSTables of one table of one plan, under their final names
 * &lt;staging>/&lt;plan>/&lt;table id>/commit   once it is there (and its checksum is right) the set must become live
 * &lt;staging>/&lt;plan>/&lt;table id>/LIVE     the database has answered: only cleaning is left
 *
 * commit file, text, lines end in \n:
 *   sluice-commit 1
 *   install &lt;uuid>
 *   table &lt;uuid>
 *   sstable &lt;descriptor>                one line for each
 *   file &lt;length> &lt;file name>           one line for each file of all of them
 *   crc32 &lt;8 hex digits>                CRC32 of all bytes before this line
 * </pre>
 */
@NullMarked
package io.sluice.streaming.install;

import org.jspecify.annotations.NullMarked;
