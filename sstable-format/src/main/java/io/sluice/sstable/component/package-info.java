/**
 * Names of SSTables and of the files they consist of.
 *
 * <pre>
 * &lt;data dir>/&lt;keyspace>/&lt;table>-&lt;table id, 32 hex digits>/&lt;version>-&lt;id>-&lt;format>-&lt;component>
 *                                                           nb-1-big-Data.db
 *                                                           oa-3h5o_1m51_4c1ai2nav0qxq5190b-big-Index.db
 * </pre>
 */
@NullMarked
package io.sluice.sstable.component;

import org.jspecify.annotations.NullMarked;
