package io.reactorucx.uct;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class DmabufTest {

    @Test
    void closesItsDescriptorOnce() throws Throwable {
        MethodHandle eventfd = Linker.nativeLinker()
                .downcallHandle(Linker.nativeLinker().defaultLookup().findOrThrow("eventfd"),
                FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));
        int fd = (int) eventfd.invokeExact(0, 0);
        Path link = Path.of("/proc/self/fd", Integer.toString(fd));
        UctDmabuf dmabuf = new UctDmabuf(fd, 100);
        assertThat(dmabuf.fd()).isEqualTo(fd);
        assertThat(dmabuf.offset()).isEqualTo(100);
        assertThat(Files.exists(link, LinkOption.NOFOLLOW_LINKS)).isTrue();
        dmabuf.close();
        assertThat(Files.exists(link, LinkOption.NOFOLLOW_LINKS)).isFalse();
        int next = (int) eventfd.invokeExact(0, 0);
        dmabuf.close();
        assertThat(Files.exists(Path.of("/proc/self/fd", Integer.toString(next)), LinkOption.NOFOLLOW_LINKS)).isTrue();
        new UctDmabuf(next, 0).close();
    }
}
