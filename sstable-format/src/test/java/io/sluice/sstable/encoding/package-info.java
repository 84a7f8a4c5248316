@NullMarked
package io.sluice.sstable.encoding;

import org.jspecify.annotations.NullMarked;
