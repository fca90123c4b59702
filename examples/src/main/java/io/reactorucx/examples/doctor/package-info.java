/**
 * What a machine offers UCX, and what stands in its way: the components of UCX with their transports, and checks with
 * their remedies.
 */
@NullMarked
package io.reactorucx.examples.doctor;

import org.jspecify.annotations.NullMarked;
