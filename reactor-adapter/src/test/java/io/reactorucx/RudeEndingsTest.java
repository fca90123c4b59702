package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactorucx.testsupport.ChildJvm;
import io.reactorucx.testsupport.NoLeaks;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A server's process survives clients that are killed, close by force or give up while they connect, and so do clients
 * that do the same themselves. Longer runs of the same programs: {@code -Drude.rounds}, {@code -Drude.seconds}.
 */
@Tag("slow")
@ExtendWith(NoLeaks.class)
class RudeEndingsTest implements NeedsUcx {

    private static final int ROUNDS = Integer.getInteger("rude.rounds", 3);
    private static final int SECONDS = Integer.getInteger("rude.seconds", 2);
    private static final Pattern READY = Pattern.compile(EndingPrograms.READY + "(\\d+) (\\w+)");

    private static ChildJvm start(String... arguments) {
        // Memory that was freed is overwritten, so that its use shows.
        return ChildJvm.of(EndingPrograms.class).options("-Xmx256m").environment("MALLOC_PERTURB_", "90")
                .environment("UCX_LOG_LEVEL", "error").arguments(arguments).start();
    }

    private static String server(ChildJvm server, boolean byPort) {
        Matcher ready = READY.matcher(server.awaitLine(EndingPrograms.READY));
        assertThat(ready.matches()).isTrue();
        return ready.group(byPort ? 1 : 2);
    }

    private static void assertEndsWell(ChildJvm server) {
        server.send("end");
        ChildJvm.Result result = server.result();
        assertThat(result.exitCode()).as(result.output()).isZero();
        assertThat(result.output()).contains(EndingPrograms.DONE + "leases=0");
    }

    @ParameterizedTest
    @CsvSource({"tcp, true", "tcp, false", "default, true", "default, false"})
    void clientsAreKilledAmidLargeMessages(String transports, boolean byPort) {
        try (ChildJvm server = start("serve", transports)) {
            String address = server(server, byPort);
            for (int round = 0; round < ROUNDS; round++) {
                try (ChildJvm client = start("bulk", transports, address)) {
                    client.awaitLine(EndingPrograms.FLOWING);
                    client.handle().destroyForcibly();
                }
                assertThat(server.handle().isAlive()).as("the server after round %d", round).isTrue();
            }
            assertEndsWell(server);
        }
    }

    /** Not over tcp, where UCX may abort a process that closes its worker then: see docs/spec/reliability.md. */
    @Test
    void clientsGiveUpWhileTheyConnect() {
        assertBothEndWell("storm", "default");
    }

    @ParameterizedTest
    @ValueSource(strings = {"tcp", "default"})
    void bothSidesCloseByForceAmidTraffic(String transports) {
        assertBothEndWell("force", transports);
    }

    private static void assertBothEndWell(String part, String transports) {
        try (ChildJvm server = start("serve", transports);
                ChildJvm client = start(part, transports, server(server, true), String.valueOf(SECONDS), "1")) {
            ChildJvm.Result result = client.result();
            assertThat(result.exitCode()).as(result.output()).isZero();
            assertThat(result.output()).containsPattern(EndingPrograms.DONE + "rounds=[1-9]");
            assertEndsWell(server);
        }
    }
}
