/** Authentication of peers: {@link io.reactorucx.security.Authenticator}. */
@NullMarked
package io.reactorucx.security;

import org.jspecify.annotations.NullMarked;
