/** Makes tables out of nothing: deterministic data sets to measure and test with. */
@NullMarked
package io.sluice.sstable.generate;

import org.jspecify.annotations.NullMarked;
