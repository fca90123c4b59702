/**
 * Thin, safe objects over UCX's UCP API: context, worker, endpoint, listener, registered memory.
 *
 * <p>An object named {@code Ucp*} wraps one native handle. A worker and what was made from it belong to the thread that
 * created the worker; each call checks that. Contexts and registered memory may be used from any thread.
 */
@NullMarked
package io.reactorucx.core;

import org.jspecify.annotations.NullMarked;
