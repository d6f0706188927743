import Foundation
import RESTKit
import RESTKitTesting
import Streams
import StreamsTesting

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A script of responses about one file in virtual time, and the requests for its parts.
package struct GrowingFile {
  package let scheduler = TestScheduler()
  package let stubs: StubTransport
  /// The times at which requests were made.
  package let times = ValueLog<Duration>()

  package init(_ answers: [StubbedResponse]) {
    let request = StubRequest(.get, urlString: LiveFeed.url)
    stubs = StubTransport(
      StubAPIResponse(answers.map { (request, $0) }) ?? StubAPIResponse(request: request),
      scheduler: scheduler)
  }

  package var api: TestAPI { TestAPI(transport: stubs) }

  /// The response in pieces.
  package var events: AnyPublisher<TransferEvent, any Error> {
    let (times, scheduler) = (times, scheduler)
    return api.events(endpoint: "feed") { request in
      times.add(scheduler.now)
      return request
    }
  }

  /// A policy whose waits take no time.
  package var retry: RetryPolicy {
    var policy = RetryPolicy.unbudgeted(scheduler)
    policy.maxDelay = .zero
    return policy
  }

  /// A policy whose waits take three seconds.
  package var policy: ReconnectPolicy {
    ReconnectPolicy(maxDelay: .seconds(3), retry: .unbudgeted(scheduler))
  }

  /// The values of a field in the requests.
  package func field(_ name: String) -> [String?] {
    stubs.requests.map { $0.value(forHTTPHeaderField: name) }
  }
}

extension StubbedResponse {
  /// A whole file.
  package static func file(
    _ tag: String?, _ pieces: StubPiece..., end: BodyEnd = .complete
  ) -> StubbedResponse {
    var headers = HTTPHeaders()
    headers["ETag"] = tag
    return StubbedResponse(headers: headers, pieces: pieces, end: end)
  }

  /// A part of a file from a byte on.
  package static func part(
    _ tag: String?, from first: Int, _ text: String, end: BodyEnd = .complete
  ) -> StubbedResponse {
    var headers: HTTPHeaders = [
      "Content-Range": "bytes \(first)-\(first + text.utf8.count - 1)/*"
    ]
    headers["ETag"] = tag
    return StubbedResponse(
      statusCode: 206, headers: headers, pieces: [StubPiece(Data(text.utf8))], end: end)
  }

  /// The answer to a request for bytes behind the end of a file.
  package static func unsatisfied(
    _ length: Int?, tag: String? = nil, end: BodyEnd = .complete
  ) -> StubbedResponse {
    var headers = HTTPHeaders()
    headers["Content-Range"] = length.map { "bytes */\($0)" }
    headers["ETag"] = tag
    return StubbedResponse(statusCode: 416, headers: headers, pieces: ["<p>416</p>"], end: end)
  }
}

extension URLRequest {
  /// Returns the request for the bytes from a place on.
  package func asking(from offset: Int64) -> URLRequest {
    settingHeader("Range", to: "bytes=\(offset)-")
  }
}
