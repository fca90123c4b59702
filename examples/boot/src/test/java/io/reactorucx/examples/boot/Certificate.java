package io.reactorucx.examples.boot;

import io.reactorucx.testsupport.TestTime;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A key store with a new key and its self-signed certificate, made by the JDK's keytool. */
final class Certificate {

    /** The password of the store. */
    static final String PASSWORD = "password";

    private static final long LIMIT_SECONDS = TestTime.seconds(60).toSeconds();

    private Certificate() {
    }

    static Path create(Path folder) throws IOException, InterruptedException {
        Path store = folder.resolve("keys.p12");
        Process keytool = new ProcessBuilder(List.of(Path.of(System.getProperty("java.home"), "bin", "keytool")
                .toString(), "-genkeypair", "-alias", "server", "-keyalg", "EC", "-dname", "CN=localhost", "-ext",
                "san=ip:127.0.0.1", "-validity", "1", "-storetype", "PKCS12", "-keystore", store.toString(),
                "-storepass", PASSWORD)).redirectErrorStream(true)
                .redirectOutput(folder.resolve("keytool.txt").toFile()).start();
        if (!keytool.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS) || keytool.exitValue() != 0) {
            keytool.destroyForcibly();
            throw new IOException("keytool failed: see " + folder.resolve("keytool.txt"));
        }
        return store;
    }
}
