package io.reactorucx.uct;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactorucx.core.Ucx;
import org.junit.jupiter.api.Test;

/** The check for leaks finds what it is there for. */
class NoOpenDomainsTest {

    private final NoOpenDomains check = new NoOpenDomains();

    @Test
    void failsOnALeakedDomain() {
        assumeTrue(Ucx.isAvailable(), "UCX is not available");
        check.begin();
        try (UctMemoryDomain leaked = UctComponent.named("self").open("self")) {
            assertThatThrownBy(check::end).as("with %s open", leaked).isInstanceOf(AssertionError.class)
                    .hasMessageContaining("open memory domains");
        }
    }

    @Test
    void passesWhenTheDomainIsClosed() {
        assumeTrue(Ucx.isAvailable(), "UCX is not available");
        check.begin();
        UctComponent.named("self").open("self").close();
        assertThatCode(check::end).doesNotThrowAnyException();
    }
}
