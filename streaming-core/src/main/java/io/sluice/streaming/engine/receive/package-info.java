/** The receiving end: plans, their sessions, received files and their installs. */
@NullMarked
package io.sluice.streaming.engine.receive;

import org.jspecify.annotations.NullMarked;
