/** Content of a node's disk: the opened SSTables of a table, and digests of them. */
@NullMarked
package io.sluice.harness.content;

import org.jspecify.annotations.NullMarked;
