package io.reactorucx.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.reactorucx.netty.resources.UcxLoopResources;
import java.io.File;
import java.net.MalformedURLException;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class UcxNettyConfigTest {

    private static final UcxNettyConfig DEFAULT = UcxNettyConfig.DEFAULT;
    private static final Duration SECOND = Duration.ofSeconds(1);

    @Test
    void changesOnePartAtATime() {
        assertThat(DEFAULT.withTransports("tcp").transports()).containsExactly("tcp");
        assertThat(DEFAULT.withNetworkDevices("lo").networkDevices()).containsExactly("lo");
        assertThat(DEFAULT.withSpin(Duration.ZERO).spin()).isZero();
        assertThat(DEFAULT.withWindowBytes(4096).windowBytes()).isEqualTo(4096);
        assertThat(DEFAULT.withLimits(2, 3)).returns(2, UcxNettyConfig::maxLinks)
                .returns(3, UcxNettyConfig::maxChannels);
        assertThat(DEFAULT.withBuffers(8 << 20, false)).returns(8L << 20, UcxNettyConfig::maxBufferBytes)
                .returns(false, UcxNettyConfig::sharedBuffers);
        assertThat(DEFAULT.withTimeouts(SECOND, SECOND, SECOND, SECOND))
                .returns(SECOND, UcxNettyConfig::handshakeTimeout).returns(SECOND, UcxNettyConfig::closeTimeout)
                .returns(SECOND, UcxNettyConfig::heartbeatInterval).returns(SECOND, UcxNettyConfig::linkIdleTimeout);
    }

    @ParameterizedTest
    @ValueSource(ints = {Integer.MIN_VALUE, 0, 4095, (1 << 30) + 1})
    void refusesWindow(int bytes) {
        assertThatIllegalArgumentException().isThrownBy(() -> DEFAULT.withWindowBytes(bytes))
                .withMessage("windowBytes " + bytes + ": must be in 4096..1073741824");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " "})
    void refusesBlankNames(String name) {
        assertThatIllegalArgumentException().isThrownBy(() -> DEFAULT.withTransports("tcp", name))
                .withMessage("transports: '" + name + "' is no name");
        assertThatIllegalArgumentException().isThrownBy(() -> DEFAULT.withNetworkDevices(name))
                .withMessage("networkDevices: '" + name + "' is no name");
    }

    @Test
    void refusesTimes() {
        Duration negative = Duration.ofNanos(-1);
        assertThatIllegalArgumentException().isThrownBy(() -> DEFAULT.withSpin(negative))
                .withMessageStartingWith("spin PT-0.000000001S: must be in ");
        assertThatIllegalArgumentException().isThrownBy(() -> DEFAULT.withSpin(Duration.ofSeconds(2)));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> DEFAULT.withTimeouts(Duration.ZERO, SECOND, SECOND, SECOND))
                .withMessageStartingWith("handshakeTimeout PT0S: must be in ");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> DEFAULT.withTimeouts(SECOND, negative, SECOND, SECOND))
                .withMessageStartingWith("closeTimeout ");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> DEFAULT.withTimeouts(SECOND, SECOND, SECOND, Duration.ofDays(1)))
                .withMessageStartingWith("linkIdleTimeout ");
    }

    @Test
    void refusesWhatALoopCouldNotStartWith() {
        assertThatIllegalArgumentException().isThrownBy(() -> DEFAULT.withBuffers(1, true))
                .withMessageStartingWith("maxBufferBytes 1: must be at least one slab");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> DEFAULT.withTimeouts(SECOND, SECOND, Duration.ofNanos(1), SECOND))
                .withMessageContaining("heartbeat");
    }

    @Test
    void refusesLimits() {
        assertThatIllegalArgumentException().isThrownBy(() -> DEFAULT.withLimits(0, 1))
                .withMessage("maxLinks 0: must be at least 1");
        assertThatIllegalArgumentException().isThrownBy(() -> DEFAULT.withLimits(1, 0))
                .withMessage("maxChannels 0: must be at least 1");
        assertThatIllegalArgumentException().isThrownBy(() -> UcxLoopResources.create("x", 0, DEFAULT))
                .withMessage("count 0: must be at least 1");
    }

    @Test
    void theDefaultsCanBeReadInAnyOrder() throws Exception {
        URL[] classPath = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .map(entry -> Path.of(entry).toUri()).map(UcxNettyConfigTest::url).toArray(URL[]::new);
        for (Class<?> first : List.of(UcxPlainTcpConfig.class, UcxNettyConfig.class)) {
            try (URLClassLoader fresh = new URLClassLoader(classPath, ClassLoader.getPlatformClassLoader())) {
                Class<?> loaded = Class.forName(first.getName(), true, fresh);
                assertThat(loaded).isNotSameAs(first);
                assertThat(loaded.getField("DEFAULT").get(null)).isNotNull();
            }
        }
    }

    private static URL url(URI uri) {
        try {
            return uri.toURL();
        } catch (MalformedURLException e) {
            throw new IllegalArgumentException(e);
        }
    }
}
