package catchment.counters;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.Paths;
import java.nio.file.StandardOpenOption;

/**
 * Counts what instrumented source code does.
 *
 * <p>The counters live in a mapped file, named by the property {@code catchment.counters} and sized by whoever made it, so that
 * they survive {@code halt}. Without the property nothing is counted.
 */
public final class SourceCounter {
    private static final VarHandle LONGS =
            MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final ByteBuffer COUNTERS = map(System.getProperty("catchment.counters"));

    private SourceCounter() {}

    public static void hit(int counter) {
        if (COUNTERS != null) {
            LONGS.getAndAdd(COUNTERS, counter * Long.BYTES, 1L);
        }
    }

    private static ByteBuffer map(String file) {
        if (file == null) {
            return null;
        }
        // A channel refuses an interrupted thread, also one that is interrupted meanwhile, and whose thread counts first is the
        // program's business.
        boolean interrupted = Thread.interrupted();
        try {
            while (true) {
                try (FileChannel channel =
                        FileChannel.open(Paths.get(file), StandardOpenOption.READ, StandardOpenOption.WRITE)) {
                    return channel.map(FileChannel.MapMode.READ_WRITE, 0, channel.size());
                } catch (ClosedByInterruptException again) {
                    interrupted |= Thread.interrupted();
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
