/**
 * The two ends of a session, and the coordinator of a plan, as state machines without I/O, threads or clock: events in,
 * actions out.
 *
 * <p>A plan has one {@link io.sluice.streaming.session.PlanCoordinator}, at the node that receives; it opens sessions,
 * has them tried again, and asks other sources instead. A session serves one plan and one peer. The <em>initiator</em>
 * asks for ranges and receives ({@link io.sluice.streaming.session.ReceivingSession}); the <em>follower</em> pins,
 * offers and sends ({@link io.sluice.streaming.session.SendingSession}). What may happen when is in
 * {@link io.sluice.streaming.session.ReceivingRules} and {@link io.sluice.streaming.session.SendingRules}, to a table
 * of a plan in {@code PlanRules}; {@code docs/sessions.md} prints them, with the conversation.
 */
@NullMarked
package io.sluice.streaming.session;

import org.jspecify.annotations.NullMarked;
