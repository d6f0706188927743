import Foundation
import Testing

@testable import HTTPTransport
@testable import RESTKit

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("The requests for Foundation")
struct URLSessionRequestTests {
  private func sent(_ request: EngineRequest) throws -> URLRequest {
    try URLSessionMessage(request).request
  }

  @Test("A request handles no cookies, has a User-Agent, accepts all, and has a lower-case scheme")
  func defaults() throws {
    let request = try sent(EngineRequest(url: "HTTP://h/A"))
    #expect(!request.httpShouldHandleCookies)
    #expect(request.value(forHTTPHeaderField: "User-Agent") == EngineRequest.userAgent)
    #expect(request.value(forHTTPHeaderField: "Accept") == "*/*")
    #expect(request.url?.absoluteString == "http://h/A")
  }

  @Test(
    "Foundation's own timeout is two seconds after the exact one, and a year at most",
    arguments: [
      (nil, 31_536_000), (Duration.zero, 2), (Duration.seconds(-5), 2),
      (Duration.milliseconds(120), 2), (Duration.seconds(10), 12),
      (Duration.seconds(31_535_998), 31_536_000), (Duration.seconds(31_535_999), 31_536_000),
      (Duration.seconds(1 << 40), 31_536_000),
    ] as [(Duration?, TimeInterval)])
  func limit(time: Duration?, expected: TimeInterval) throws {
    #expect(try sent(EngineRequest(url: "http://h/", timeout: time)).timeoutInterval == expected)
  }

  @Test("The total timeout takes precedence over the idle timeout")
  func times() throws {
    var request = EngineRequest(url: "http://h/", timeout: .seconds(3))
    request.idleTimeout = .seconds(5)
    let whole = try URLSessionMessage(request)
    #expect(whole.timeout == .seconds(3))
    #expect(!whole.isIdleTimeout)
    request.timeout = nil
    let silence = try URLSessionMessage(request)
    #expect(silence.timeout == .seconds(5))
    #expect(silence.isIdleTimeout)
  }

  @Test("Lines of one name are joined, in any case of the name")
  func lines() throws {
    let request = try sent(
      EngineRequest(
        url: "http://h/",
        headers: ["X-A": "1", "x-a": " 2\t", "Cookie": "a=1", "cookie": "b=2", "X-a": "3"]))
    #expect(request.value(forHTTPHeaderField: "X-A") == "1, 2, 3")
    #expect(request.value(forHTTPHeaderField: "Cookie") == "a=1; b=2")
  }

  #if canImport(FoundationNetworking)
    @Test("An empty body is a stream only if the request must not run twice")
    func emptyBody() throws {
      for (method, isStream) in [("POST", true), ("PATCH", true), ("PUT", false), ("GET", false)] {
        let request = try sent(EngineRequest(url: "http://h/", method: method))
        #expect((request.httpBodyStream != nil) == isStream, "\(method)")
      }
    }
  #endif

  #if canImport(FoundationNetworking)
    @Test("A stream that refuses to be read reports available bytes")
    func refusing() {
      let stream = RefusingInputStream()
      #expect(stream.hasBytesAvailable)
      #expect(stream.streamStatus == .open)
    }
  #endif

  @Test("URLSession supports neither pauses nor bodies that come later")
  func abilities() {
    let engine = URLSessionEngine()
    #expect(!engine.sendsBodiesAsTheyCome)
  }
}
