package io.reactorucx.uct;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactorucx.core.Ucx;
import io.reactorucx.testsupport.NoLeaks;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;

/** The memory domains that every Linux machine has, and some that it may lack. */
@ExtendWith({NoLeaks.class, NoOpenDomains.class})
abstract class Domains {

    static final List<String> NAMES = List.of("self", "tcp", "sysv", "posix", "cma");

    @BeforeEach
    void requireUcx() {
        assumeTrue(Ucx.isAvailable(), "UCX is not available");
    }

    static Stream<String> names() {
        return NAMES.stream();
    }

    /** Skips where there is none of that name: cma is a module of its own, and needs the right to trace. */
    static UctMemoryDomain open(String name) {
        Optional<UctComponent> component = UctComponent.all().stream()
                .filter(candidate -> candidate.name().equals(name)).findFirst();
        assumeTrue(component.isPresent() && component.get().memoryDomainNames().contains(name),
                "this machine has no domain " + name);
        return component.orElseThrow().open(name);
    }
}
