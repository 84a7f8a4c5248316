/** Processes, ports and connections, as commands start and break them and as tests do. */
@NullMarked
package io.sluice.tools;

import org.jspecify.annotations.NullMarked;
