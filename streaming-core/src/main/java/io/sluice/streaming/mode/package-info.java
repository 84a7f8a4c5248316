/** How an SSTable travels, and why so: known to those who decide it, to messages and to reports. */
@NullMarked
package io.sluice.streaming.mode;

import org.jspecify.annotations.NullMarked;
