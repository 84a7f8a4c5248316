/** The receiving end: plans, their sessions, what lands, and how it becomes live. */
@NullMarked
package io.sluice.streaming.engine.receive;

import org.jspecify.annotations.NullMarked;
