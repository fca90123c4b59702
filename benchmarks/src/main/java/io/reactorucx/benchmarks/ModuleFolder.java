package io.reactorucx.benchmarks;

import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;

/** The folder of this module in the working copy, which holds the figures of {@code bench} in {@code target}. */
public final class ModuleFolder {

    private ModuleFolder() {
    }

    /** {@return the nearest folder with a {@code pom.xml} above the code of this class, which is a jar or a folder} */
    public static Path path() {
        Path code = Path.of(URI.create(ModuleFolder.class.getProtectionDomain().getCodeSource().getLocation()
                .toString()));
        for (Path folder = code.toAbsolutePath(); folder != null; folder = folder.getParent()) {
            if (Files.exists(folder.resolve("pom.xml"))) {
                return folder;
            }
        }
        throw new IllegalStateException("no pom.xml in a folder above " + code);
    }
}
