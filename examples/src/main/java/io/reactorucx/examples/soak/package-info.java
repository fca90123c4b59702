/** Mixed traffic between two processes for as long as one likes, each message checked, with everything counted. */
@NullMarked
package io.reactorucx.examples.soak;

import org.jspecify.annotations.NullMarked;
