import Fixtures
import Foundation
import RESTKit
import Streams
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Answers every request with an empty 200, and remembers it.
final class RecordingTransport: Transport {
  private let sent = Mutex<[URLRequest]>([])

  var requests: [URLRequest] { sent.withLock { $0 } }

  func response(for request: URLRequest) -> AnyPublisher<RESTResponse, any Error> {
    Deferred { [self] in
      sent.withLock { $0.append(request) }
      let summary = RequestSummary(request)
      return Result<RESTResponse, any Error> {
        guard let url = request.url else { throw TestFailure(name: "no URL") }
        return RESTResponse(
          head: ResponseHead(url: url, statusCode: 200), data: Data(), request: summary)
      }
      .publisher
    }
    .eraseToAnyPublisher()
  }
}
