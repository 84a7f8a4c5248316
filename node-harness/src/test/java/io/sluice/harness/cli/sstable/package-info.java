/** Tests. */
@NullMarked
package io.sluice.harness.cli.sstable;

import org.jspecify.annotations.NullMarked;
