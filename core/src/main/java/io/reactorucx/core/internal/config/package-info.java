/** The settings of a context, what they leave to UCX on this host, and which of them explain a failure. */
@NullMarked
package io.reactorucx.core.internal.config;

import org.jspecify.annotations.NullMarked;
