/** Settings and variables of UCX that can be judged before there is a context. */
@NullMarked
package io.reactorucx.core.setting;

import org.jspecify.annotations.NullMarked;
