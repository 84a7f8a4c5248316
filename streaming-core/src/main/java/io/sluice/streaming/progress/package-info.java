/** What a stream plan has done so far, and how it ended, human-readable and programs. */
@NullMarked
package io.sluice.streaming.progress;

import org.jspecify.annotations.NullMarked;
