/** What is written about peers and about errors of the system: limited in number, and with advice. */
@NullMarked
package io.sluice.streaming.log;

import org.jspecify.annotations.NullMarked;
