/**
 * HTTP/1.1 as an admin endpoint needs it: who may ask, how much, how long. Requests are read without a thread each, so
 * one that never ends holds up nobody.
 */
@NullMarked
package io.sluice.harness.http;

import org.jspecify.annotations.NullMarked;
