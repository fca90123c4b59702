package io.reactorucx.examples.doctor;

import java.util.List;

/** One thing to look at. Its sources are given to it, so that a test can feed it what no test machine has. */
interface Check {

    /** What the findings are filed under. */
    String name();

    /** Looks; at least one finding. */
    List<Finding> findings();
}
