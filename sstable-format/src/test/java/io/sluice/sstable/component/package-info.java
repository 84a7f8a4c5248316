@NullMarked
package io.sluice.sstable.component;

import org.jspecify.annotations.NullMarked;
