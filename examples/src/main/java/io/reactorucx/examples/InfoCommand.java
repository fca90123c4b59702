package io.reactorucx.examples;

import io.reactorucx.UcxResources;
import io.reactorucx.core.Ucx;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/** What this machine's UCX is and offers. */
@Command(name = "info", mixinStandardHelpOptions = true, description = "Prints the version of UCX, where it was loaded from, and its resources.")
final class InfoCommand implements Callable<Integer> {

    @Override
    public Integer call() {
        System.out.println("UCX " + Ucx.version() + " from " + Ucx.libraryPath().map(Object::toString).orElse("?"));
        System.out.println("Java " + Runtime.version() + " on " + System.getProperty("os.name") + " " + System.getProperty("os.arch"));
        UcxResources resources = UcxResources.create();
        try {
            System.out.print(resources.context().info());
        } finally {
            resources.disposeNow();
        }
        return 0;
    }
}
