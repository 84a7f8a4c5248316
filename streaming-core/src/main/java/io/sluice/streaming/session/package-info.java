/**
 * The two ends of a session, and the coordinator of a plan, as state machines without I/O, threads or clock: events in,
 * actions out.
 *
 * <p>A plan has one {@link io.sluice.streaming.session.PlanCoordinator}, at the receiving node; it opens sessions,
 * retries them, and replaces failed sources by alternates. A session serves one plan and one peer. The
 * <em>initiator</em> requests ranges and receives them ({@link io.sluice.streaming.session.ReceivingSession}); the
 * <em>follower</em> pins, offers and sends ({@link io.sluice.streaming.session.SendingSession}).
 * {@link io.sluice.streaming.session.ReceivingRules} and {@link io.sluice.streaming.session.SendingRules} define the
 * transitions of sessions, {@code PlanRules} those of a table of a plan; {@code docs/sessions.md} prints them, with the
 * message sequence.
 */
@NullMarked
package io.sluice.streaming.session;

import org.jspecify.annotations.NullMarked;
