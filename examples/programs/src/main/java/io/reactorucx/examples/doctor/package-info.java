/** The components of UCX with their transports on this machine, and a diagnostic that lists problems and remedies. */
@NullMarked
package io.reactorucx.examples.doctor;

import org.jspecify.annotations.NullMarked;
