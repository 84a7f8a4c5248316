/** Numbers and bytes over blocking channels that the caller has opened. */
@NullMarked
package io.sluice.streaming.transfer.channel;

import org.jspecify.annotations.NullMarked;
