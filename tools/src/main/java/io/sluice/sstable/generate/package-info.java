/** Generates deterministic data sets and tables for measurements and tests. */
@NullMarked
package io.sluice.sstable.generate;

import org.jspecify.annotations.NullMarked;
