/**
 * The two ends of a session as state machines without I/O, threads or clock: events in, actions out.
 *
 * <p>A session serves one plan and one peer. The <em>initiator</em> asks for ranges and receives
 * ({@link io.sluice.streaming.session.ReceivingSession}); the <em>follower</em> pins, offers and sends
 * ({@link io.sluice.streaming.session.SendingSession}).
 *
 * <pre>
 * initiator                               follower
 *    StreamInit, PrepareSyn(ranges)  -->     pins its SSTables
 *                                    &lt;--     PrepareSynAck(offers), one or more pages
 *    prepares files, PrepareAck      -->
 *    opens data connections          -->
 *    Fetch(extents)                  -->     on each of them, a window ahead
 *                                    &lt;--     Stream(extent), bytes
 *    Received(offer)                 -->     an SSTable is whole, verified, durable
 *    Installed(table)                -->     it is live: unpins
 *                                    &lt;--     Complete
 * </pre>
 *
 * Either end says SessionFailed(code, reason) where it cannot go on.
 */
@NullMarked
package io.sluice.streaming.session;

import org.jspecify.annotations.NullMarked;
