/** Partition keys, and the hash that gives each one its token. */
@NullMarked
package io.sluice.sstable.key;

import org.jspecify.annotations.NullMarked;
