@NullMarked
package io.sluice.streaming.transfer.partial;

import org.jspecify.annotations.NullMarked;
