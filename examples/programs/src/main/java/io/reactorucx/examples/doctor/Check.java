package io.reactorucx.examples.doctor;

import java.util.List;

/** A check of the diagnostic. Its sources are parameters, so that tests can supply what no test machine has. */
interface Check {

    /** The name of the check, which its findings have. */
    String name();

    /** Runs the check; returns at least one finding. */
    List<Finding> findings();
}
