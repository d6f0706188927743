import Fixtures
import Foundation
import RESTKit
import RESTKitTesting
import Streams
import StreamsTesting
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("Verbs with a path of values")
struct PathVerbTests {
  private static let url = "https://api.example.com/v1/users/a%2Fb/orders"

  private func calls(
    of api: TestAPI, user: String
  ) -> [(HTTPMethod, AnyPublisher<RESTResponse, any Error>)] {
    let body = RequestBody.json(["n": 1])
    return [
      (.get, api.get("users/\(user)/orders")), (.head, api.head("users/\(user)/orders")),
      (.delete, api.delete("users/\(user)/orders")),
      (.post, api.post("users/\(user)/orders", body: body)),
      (.put, api.put("users/\(user)/orders", body: body)),
      (.patch, api.patch("users/\(user)/orders", body: body)),
      (HTTPMethod("REPORT"), api.request(HTTPMethod("REPORT"), "users/\(user)/orders", body: body)),
    ]
  }

  @Test("A value stays in its segment, and the body is sent")
  func values() throws {
    for place in 0..<7 {
      let stubs = AnsweringTransport()
      let (method, call) = calls(of: TestAPI(transport: stubs), user: "a/b")[place]
      #expect(call.testSubscriber().values.count == 1, "\(method)")
      let request = try #require(stubs.requests.last)
      #expect(request.httpMethod == method.rawValue)
      #expect(request.url?.absoluteString == Self.url)
      let hasBody = ![HTTPMethod.get, .head, .delete].contains(method)
      #expect(request.httpBody == (hasBody ? Data(#"{"n":1}"#.utf8) : nil))
    }
  }

  @Test("Query, headers, authorization and modifier are those of the other verbs")
  func parameters() throws {
    let stubs = StubTransport(.get, Self.url + "?page=2", statusCode: 200)
    let call = TestAPI(transport: stubs).get(
      "users/\("a/b")/orders", query: ["page": 2], headers: ["X-A": "1"], authorization: .none
    ) { $0.adding("X-B", "2") }.testSubscriber()
    #expect(call.isFinished)
    let request = try #require(stubs.requests.first)
    #expect(request.value(forHTTPHeaderField: "X-A") == "1")
    #expect(request.value(forHTTPHeaderField: "X-B") == "2")
  }

  @Test("A value that is a path of its own is refused by each verb, and nothing is sent")
  func refused() {
    let stubs = StubTransport()
    for (method, call) in calls(of: TestAPI(transport: stubs), user: "..") {
      let error = call.testSubscriber().failure as? RESTError
      #expect(error?.kind == .invalidEndpoint, "\(method)")
    }
    #expect(stubs.requests.isEmpty)
  }
}
