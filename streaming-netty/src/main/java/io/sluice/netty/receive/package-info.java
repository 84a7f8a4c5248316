/** The receiving end: from the socket to staged files, and from all sessions of a plan to live tables. */
@NullMarked
package io.sluice.netty.receive;

import org.jspecify.annotations.NullMarked;
