package io.reactorucx.transport.metrics;

import io.micrometer.core.instrument.docs.MeterDocumentation;

/**
 * A meter of this library: name, type, base unit and tags as Micrometer documents them, and what it counts.
 *
 * <p><b>Threading:</b> any thread. <b>Ownership:</b> none. <b>Errors:</b> none.
 */
// Micrometer is optional, so this module does not hand it on: a module without meters compiles without it.
@SuppressWarnings("exports")
public interface UcxMeter extends MeterDocumentation {

    /** {@return what it counts, as the documentation says it} */
    String description();
}
