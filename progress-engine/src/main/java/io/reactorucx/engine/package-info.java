/**
 * The threads that own UCX workers: commands of any thread go in, completions are delivered by the engine's thread.
 *
 * <p>It knows neither Reactor nor Micrometer; {@link io.reactorucx.engine.Operation} is what an adapter builds its
 * signals on.
 */
@NullMarked
package io.reactorucx.engine;

import org.jspecify.annotations.NullMarked;
