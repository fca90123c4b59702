/**
 * Reactive UCX: {@link io.reactorucx.UcxServer} and {@link io.reactorucx.UcxClient} make
 * {@link io.reactorucx.UcxConnection}s, whose operations are cold {@code Mono}s and {@code Flux}es.
 *
 * <p>An object named {@code Ucx*} may be used from any thread. Signals are delivered on the thread of the connection's
 * engine, which must not be blocked: {@code block()} there fails at once.
 */
@NullMarked
package io.reactorucx;

import org.jspecify.annotations.NullMarked;
