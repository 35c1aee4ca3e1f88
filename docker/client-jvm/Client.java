import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URL;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/** Asks again and again with HttpURLConnection. It prints nothing that is trusted: that a request arrives is the evidence. */
public final class Client {
    public static void main(String[] args) throws IOException {
        var url = new URL(System.getenv("MUSTER_URL"));
        var name = System.getenv("MUSTER_CLIENT");
        var timeout = Integer.parseInt(System.getenv("MUSTER_TIMEOUT_MS"));
        var every = Long.parseLong(System.getenv("MUSTER_EVERY_MS"));
        Executors.newSingleThreadScheduledExecutor()
                .scheduleAtFixedRate(() -> ask(url, name, timeout), 0, every, TimeUnit.MILLISECONDS);
    }

    private static void ask(URL url, String name, int timeout) {
        try {
            var connection = (HttpURLConnection) url.openConnection();
            connection.setConnectTimeout(timeout);
            connection.setReadTimeout(timeout);
            connection.setRequestProperty("x-muster-client", name);
            try (InputStream answer = connection.getInputStream()) {
                answer.readAllBytes();
            }
        } catch (IOException | RuntimeException problem) {
            System.err.println(problem);
        }
    }
}
