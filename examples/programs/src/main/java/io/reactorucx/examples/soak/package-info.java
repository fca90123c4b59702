/** Mixed traffic between two processes, with each message checked and counted. */
@NullMarked
package io.reactorucx.examples.soak;

import org.jspecify.annotations.NullMarked;
