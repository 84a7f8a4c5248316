/** Processes, ports and connections, for commands and tests that start and break them. */
@NullMarked
package io.sluice.tools;

import org.jspecify.annotations.NullMarked;
