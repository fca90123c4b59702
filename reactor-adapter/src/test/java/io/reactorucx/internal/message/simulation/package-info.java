/** Messages and requests over a carrier in memory, with virtual time and choices that follow from a seed. */
package io.reactorucx.internal.message.simulation;
