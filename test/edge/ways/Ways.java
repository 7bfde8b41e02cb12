import java.net.*;
import java.net.http.*;
import java.nio.charset.StandardCharsets;

/** Ways of Java to send words to a host, and to read from it. Usage: Ways.java NAME URL WORDS */
public class Ways {
  public static void main(String[] given) throws Exception {
    String name = given[0], url = given[1], words = given[2];
    if (name.endsWith("URL")) {
      var connection = (HttpURLConnection) new URL(url + (name.startsWith("read") ? "/items" : "/notes")).openConnection();
      if (!name.startsWith("read")) {
        connection.setRequestMethod("PUT");
        connection.setDoOutput(true);
        connection.getOutputStream().write(words.getBytes(StandardCharsets.UTF_8));
      }
      System.out.println(connection.getResponseCode());
      return;
    }
    var version = name.endsWith("1") ? HttpClient.Version.HTTP_1_1 : HttpClient.Version.HTTP_2;
    var client = HttpClient.newBuilder().version(version).build();
    var request = name.startsWith("read")
        ? HttpRequest.newBuilder(URI.create(url + "/items")).build()
        : HttpRequest.newBuilder(URI.create(url + "/notes")).POST(HttpRequest.BodyPublishers.ofString(words)).build();
    System.out.println(client.send(request, HttpResponse.BodyHandlers.ofString()).statusCode());
  }
}
