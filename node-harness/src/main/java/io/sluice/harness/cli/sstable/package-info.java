/** {@code ./sluice sstable}: tools that look at, check and make SSTables, without a cluster. */
@NullMarked
package io.sluice.harness.cli.sstable;

import org.jspecify.annotations.NullMarked;
