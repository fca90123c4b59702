package io.reactorucx.core;

import io.reactorucx.testsupport.NoLeaks;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** What an application may rely on, over each link that does not detect the failure of the peer. */
@Tag("slow")
@ExtendWith(NoLeaks.class)
@ParameterizedClass(name = "{0}")
@MethodSource("io.reactorucx.core.Link#undetecting")
class UndetectingLinkContractTest extends LinkContracts {

    UndetectingLinkContractTest(Link link) {
        super(link);
    }
}
