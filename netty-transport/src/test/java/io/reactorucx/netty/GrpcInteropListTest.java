package io.reactorucx.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.testing.integration.TestCases;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** gRPC's list of tests of interoperation: {@link GrpcInteropTest} has each, or it is excluded here with the reason. */
class GrpcInteropListTest {

    private static final String GOOGLE = "needs a service of Google that issues credentials";
    private static final String XDS = "needs gRPC's xDS in server and client, and is about choosing servers;"
            + " the calls under it are unary and streaming ones";

    private static final Map<TestCases, String> EXCLUDED = new EnumMap<>(Map.ofEntries(
            Map.entry(TestCases.COMPUTE_ENGINE_CREDS, GOOGLE),
            Map.entry(TestCases.COMPUTE_ENGINE_CHANNEL_CREDENTIALS, GOOGLE),
            Map.entry(TestCases.SERVICE_ACCOUNT_CREDS, GOOGLE),
            Map.entry(TestCases.JWT_TOKEN_CREDS, GOOGLE),
            Map.entry(TestCases.OAUTH2_AUTH_TOKEN, GOOGLE),
            Map.entry(TestCases.PER_RPC_CREDS, GOOGLE),
            Map.entry(TestCases.GOOGLE_DEFAULT_CREDENTIALS, GOOGLE),
            Map.entry(TestCases.CACHEABLE_UNARY, "needs a caching proxy; its source says that it is broken"),
            Map.entry(TestCases.CLIENT_COMPRESSED_UNARY, "needs a server that sees whether a request was compressed,"
                    + " which gRPC for Java does not tell; runs without the probe"),
            Map.entry(TestCases.CLIENT_COMPRESSED_STREAMING, "as the one before; runs without the probe"),
            Map.entry(TestCases.PICK_FIRST_UNARY, "needs several servers that say which of them answers, which the"
                    + " server of the tests does not; is about choosing servers"),
            Map.entry(TestCases.ORCA_PER_RPC, XDS),
            Map.entry(TestCases.ORCA_OOB, XDS)));

    private static String methodName(TestCases each) {
        String name = Arrays.stream(each.name().split("_"))
                .map(word -> word.charAt(0) + word.substring(1).toLowerCase(Locale.ROOT))
                .collect(Collectors.joining());
        return Character.toLowerCase(name.charAt(0)) + name.substring(1);
    }

    @Test
    void eachCaseOfTheListRunsOrIsExcluded() {
        Set<String> tests = Arrays.stream(GrpcInteropTest.class.getMethods())
                .filter(method -> method.isAnnotationPresent(org.junit.Test.class)).map(method -> method.getName())
                .collect(Collectors.toSet());

        for (TestCases each : TestCases.values()) {
            assertThat(tests.contains(methodName(each))).as(each.name()).isNotEqualTo(EXCLUDED.containsKey(each));
        }
    }
}
