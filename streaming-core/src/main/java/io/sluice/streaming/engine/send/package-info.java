/** The sending end: what is pinned, offered and sent. */
@NullMarked
package io.sluice.streaming.engine.send;

import org.jspecify.annotations.NullMarked;
