/** Log lines about peers, limited in number, and advice for system errors. */
@NullMarked
package io.sluice.streaming.log;

import org.jspecify.annotations.NullMarked;
