import Foundation
import Testing

@testable import HTTPWire
@testable import RESTKit

@Suite("SEC-04: the base URL")
struct BaseURLTests {
  @Test(
    "An absolute http(s) URL with a host is accepted, in one form",
    arguments: [
      ("https://api.example.com", "https://api.example.com/"),
      ("https://api.example.com/", "https://api.example.com/"),
      ("https://api.example.com/v1", "https://api.example.com/v1"),
      ("https://api.example.com/v1/", "https://api.example.com/v1/"),
      ("http://127.0.0.1:8080/a/b/c", "http://127.0.0.1:8080/a/b/c"),
      ("HTTPS://API.Example.COM/V1", "https://api.example.com/V1"),
      ("HttP://h", "http://h/"),
      ("http://localhost:1/", "http://localhost:1/"),
      ("https://h:65535", "https://h:65535/"),
      (
        "https://\(String(repeating: "a.", count: 126))a",
        "https://\(String(repeating: "a.", count: 126))a/"
      ),
      (
        "https://\(String(repeating: "a.", count: 125))aa.",
        "https://\(String(repeating: "a.", count: 125))aa./"
      ),
      (
        "https://\(String(repeating: "a", count: 63)).h",
        "https://\(String(repeating: "a", count: 63)).h/"
      ),
      ("https://h:443/x", "https://h:443/x"),
      ("https://h:0080/x", "https://h:80/x"),
      ("https://api.example.com./v1", "https://api.example.com./v1"),
      ("http://my_service-2:9000", "http://my_service-2:9000/"),
      ("http://[::1]:8080/v1", "http://[::1]:8080/v1"),
      ("http://[2001:DB8::1]", "http://[2001:db8::1]/"),
      ("http://[::ffff:192.0.2.1]/x", "http://[::ffff:192.0.2.1]/x"),
      ("http://[1:2:3:4:5:6:7:8]", "http://[1:2:3:4:5:6:7:8]/"),
      ("http://[::]", "http://[::]/"),
      ("https://bücher.example/é", "https://xn--bcher-kva.example/%C3%A9"),
      ("https://BÜCHER.example", "https://xn--bcher-kva.example/"),
      ("https://h/a%20b/%c3%a9", "https://h/a%20b/%c3%a9"),
      ("https://h/a:b/@c;d=1", "https://h/a:b/@c;d=1"),
      ("https://h/x:y", "https://h/x:y"),
    ])
  func accepted(text: String, expected: String) throws {
    let url = try BaseURL(text).url(endpoint: "")
    #expect(url.absoluteString == expected)
  }

  @Test("A base URL has its parts")
  func parts() throws {
    let base = try BaseURL("HTTP://[::1]:8080/v1/")
    #expect(base.scheme == "http")
    #expect(base.host == "::1")
    #expect(base.port == 8080)
    #expect(base.path == "/v1")
    let plain = try BaseURL("https://api.example.com")
    #expect(plain.port == nil)
    #expect(plain.path == "")
  }

  @Test(
    "A URL without scheme or host is refused",
    arguments: [
      "FA KE", "api.example.com", "api.example.com/v1", "//api.example.com", "/v1",
      "localhost:8080",
      "https:", "https:/", "https:api.example.com", "https:/api.example.com", "http", "://h",
      "1http://h", "ht!tp://h", "?", "#", "\\", "h ttp://h", "127.0.0.1:80",
    ])
  func notAbsolute(text: String) {
    let error = baseURLError(text)
    #expect(
      error?.description
        == "base URL is not an absolute http(s) URL: "
        + "write it with scheme and host, such as \"https://api.example.com/v1\"")
  }

  @Test(
    "A refused URL's error names its fault and the remedy",
    arguments: [
      ("", "is empty"),
      (" https://h", "begins with whitespace"),
      ("\nhttps://h", "begins with whitespace"),
      ("\u{FEFF}https://h", "begins with whitespace"),
      ("ftp://h", "has a scheme other than http and https"),
      ("file:///etc/passwd", "has a scheme other than http and https"),
      ("javascript://h/%0aalert(1)", "has a scheme other than http and https"),
      ("ws://h", "has a scheme other than http and https"),
      ("http://", "has no host"),
      ("http:///v1", "has no host"),
      ("http://?x", "has no host"),
      ("http://:80", "has no host"),
      ("https://user@h", "has user info before its host"),
      ("https://user:pass@h/v1", "has user info before its host"),
      ("https://@h", "has user info before its host"),
      ("https://u@h@evil", "has user info before its host"),
      ("https://h?x=1", "has a query"),
      ("https://h/v1?", "has a query"),
      ("https://h/v1?x#y", "has a query"),
      ("https://h#f", "has a fragment"),
      ("https://h/v1#", "has a fragment"),
      ("https://h:0", "has a port that is not a number from 1 to 65535"),
      ("https://h:00000", "has a port that is not a number from 1 to 65535"),
      ("https://h:65536", "has a port that is not a number from 1 to 65535"),
      ("https://h:000080", "has a port that is not a number from 1 to 65535"),
      ("https://h:99999999999999999999", "has a port that is not a number from 1 to 65535"),
      ("https://h:-1", "has a port that is not a number from 1 to 65535"),
      ("https://h:+80", "has a port that is not a number from 1 to 65535"),
      ("https://h:", "has a port that is not a number from 1 to 65535"),
      ("https://h:abc/v1", "has a port that is not a number from 1 to 65535"),
      ("https://h:８０", "has a port that is not a number from 1 to 65535"),
      ("https://h:\u{301}80", "has a port that is not a number from 1 to 65535"),
      ("https://[::1]80", "has a port that is not a number from 1 to 65535"),
      ("https://[::1]:", "has a port that is not a number from 1 to 65535"),
      ("https://::1", "has no host"),
      ("https://1::2/", "has a host with colons"),
      ("https://a:80:90", "has a host with colons"),
      ("https://[::1", "has a malformed host"),
      ("https://[", "has a malformed host"),
      ("https://[]", "has a malformed host"),
      ("https://[::1/]", "has a malformed host"),
      ("https://[:::]", "has a malformed host"),
      ("https://[1::2::3]", "has a malformed host"),
      ("https://[1:2:3:4:5:6:7]", "has a malformed host"),
      ("https://[1:2:3:4:5:6:7:8:9]", "has a malformed host"),
      ("https://[1:2:3:4:5:6:7::8]", "has a malformed host"),
      ("https://[12345::]", "has a malformed host"),
      ("https://[g::]", "has a malformed host"),
      ("https://[fe80::1%25eth0]", "has a malformed host"),
      ("https://[::256.0.0.1]", "has a malformed host"),
      ("https://[::1.2.3]", "has a malformed host"),
      ("https://[1.2.3.4::]", "has a malformed host"),
      ("https://[v1.x]", "has a malformed host"),
      ("https://[\u{301}::1]", "has a malformed host"),
      ("https://]", "has a malformed host"),
      ("https://a b", "has a malformed host"),
      ("https://h \n", "has a malformed host"),
      ("https://a..b", "has a malformed host"),
      ("https://.", "has a malformed host"),
      ("https://.h", "has a malformed host"),
      ("https://h..", "has a malformed host"),
      ("https://a%2eb", "has a malformed host"),
      ("https://a,b", "has a malformed host"),
      ("https://a<b>", "has a malformed host"),
      ("https://h\0", "has a malformed host"),
      ("https://a\u{7F}b", "has a malformed host"),
      ("https://api.example.com／evil", "has a malformed host"),
      ("https://＠evil.com", "has a malformed host"),
      ("https://a\u{202E}b", "has a malformed host"),
      ("https://\(String(repeating: "a", count: 64)).com", "has a malformed host"),
      ("https://\(String(repeating: "a.", count: 127))a", "has a malformed host"),
      ("https://\(String(repeating: "a.", count: 126))aa", "has a malformed host"),
      ("https://\(String(repeating: "a.", count: 126))aa.", "has a malformed host"),
      ("https://h\\evil", "has a path that holds a backslash"),
      ("https://h/a b", "has a path that holds whitespace (U+0020)"),
      ("https://h/v1 ", "has a path that holds whitespace (U+0020)"),
      ("https://h/v1\n", "has a path that holds whitespace (U+000A)"),
      ("https://h/a\u{0}", "has a path that holds a control character (U+0000)"),
      ("https://h//", "has a path that has an empty segment"),
      ("https://h//v1", "has a path that has an empty segment"),
      ("https://h/v1//", "has a path that has an empty segment"),
      ("https://h/../v1", "has a path that has a \"..\" segment"),
      ("https://h/v1/%2E%2e", "has a path that has a \"..\" segment"),
      ("https://h/./v1", "has a path that has a \".\" segment"),
      ("https://h/a%2fb", "has a path that hides a \"/\" in an escape"),
      ("https://h/a%zz", "has a path that has a \"%\" without two hexadecimal digits"),
      ("https://h/" + String(repeating: "a", count: 8_192), "is longer than 8192 bytes"),
    ])
  func refused(text: String, reason: String) throws {
    let error = try #require(baseURLError(text))
    #expect(error.part == .baseURL)
    #expect(error.reason == reason)
    #expect(!error.remedy.isEmpty)
    #expect(error.description == "base URL \(reason): \(error.remedy)")
  }

  @Test(
    "Errors do not quote the URL, so no password or key gets into a log",
    arguments: [
      "https://user:CANARY@h", "https://user:CA/NARY@h", "https://h:CANARY/",
      "https://h?key=CANARY",
      "https://CANARY@", "https://h/CANARY//x", "CANARY", "CANARY://h", "https://CANARY CANARY",
      "https://h/x#CANARY", "https://user:p?CANARY@h", "https://h/CANARY/%zz",
    ])
  func secrets(text: String) throws {
    let error = try #require(baseURLError(text))
    var dumped = ""
    dump(error, to: &dumped)
    for output in [error.description, String(reflecting: error), dumped] {
      #expect(!output.contains("CANARY"))
      #expect(!output.contains("NARY"))
    }
  }

  private func baseURLError(_ text: String) -> URLJoinError? {
    do throws(URLJoinError) {
      _ = try BaseURL(text)
      return nil
    } catch {
      return error
    }
  }
}
