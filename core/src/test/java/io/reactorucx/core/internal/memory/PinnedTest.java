package io.reactorucx.core.internal.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactorucx.core.error.UcxClosedException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Memory that has to stay as long as an operation uses it. */
class PinnedTest {

    private final List<String> calls = new ArrayList<>();

    private Pinned one(String name, boolean throwing) {
        return new Pinned() {
            @Override
            public void pin() {
                if (throwing) {
                    throw new UcxClosedException("pin", name);
                }
                calls.add("pin " + name);
            }

            @Override
            public void unpin() {
                calls.add("unpin " + name);
            }
        };
    }

    @Test
    void pinsBothOrNone() {
        Pinned both = Pinned.both(one("a", false), one("b", false));
        both.pin();
        both.unpin();
        assertThat(calls).containsExactlyInAnyOrder("pin a", "pin b", "unpin a", "unpin b");
        for (Pinned half : List.of(Pinned.both(one("c", true), one("d", false)),
                Pinned.both(one("d", false), one("c", true)))) {
            calls.clear();
            assertThatThrownBy(half::pin).isInstanceOf(UcxClosedException.class);
            assertThat(calls.stream().filter("pin d"::equals).count())
                    .isEqualTo(calls.stream().filter("unpin d"::equals).count());
        }
    }
}
