/**
 * Instances of a service that are found by Spring Cloud's discovery and called over UCX, or over TCP where they or this
 * process cannot use UCX.
 */
@NullMarked
package io.reactorucx.spring.boot.discovery;

import org.jspecify.annotations.NullMarked;
