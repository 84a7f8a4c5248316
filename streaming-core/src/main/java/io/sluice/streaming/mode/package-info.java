/** How an SSTable is sent, and why: shared by the chooser of the mode, messages and reports. */
@NullMarked
package io.sluice.streaming.mode;

import org.jspecify.annotations.NullMarked;
