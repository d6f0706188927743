import Fixtures
import Foundation
import RESTKit
import Streams
import StreamsTesting

@testable import RESTKit
@testable import RESTKitReports

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A picture, in virtual time, of the log of a call that meets an overloaded server, waits, is
/// refused, and is sent with a new token.
struct WaterfallStory {
  func run() throws -> CallPicture {
    let scheduler = TestScheduler()
    let timed = TimedTransport(
      scheduler,
      answers: [
        "/orders": [
          .init(status: 503, lookup: 14, connect: 46, secure: 112, firstByte: 188, total: 196),
          .init(status: 401, firstByte: 82, total: 88),
          .init(status: 200, firstByte: 94, total: 151),
        ],
        "/auth/refresh": [
          .init(status: 200, lookup: 11, connect: 40, secure: 98, firstByte: 171, total: 176)
        ],
      ])
    let observed = ObservedTransport(timed, clock: scheduler)
    let session = TokenSession(
      grant: JSONRefreshGrant(baseURL: "https://id.example.com", transport: observed),
      store: MemoryTokenStore(Credential(accessToken: "t0", refreshToken: "r0")),
      scheduler: scheduler)
    var policy = RetryPolicy(baseDelay: .milliseconds(300), scheduler: scheduler)
    policy.generator = SeededGenerator(seed: 5)
    let api = TestAPI(baseURL: "https://shop.example.com", transport: observed, retry: policy)

    let logs = TestSubscriber<CallLog, Never>()
    observed.callLogs.receive(subscriber: logs)
    let call = TestSubscriber<RESTResponse, any Error>()
    session.authorize(api.get(endpoint: "orders")).receive(subscriber: call)
    scheduler.run()
    guard call.values.first?.statusCode == 200 else { throw TestFailure(name: call.outcome) }
    let picture = CallPicture(logs.values)
    logs.cancel()
    return picture
  }
}

/// A transport whose responses and whose times are written down before.
private final class TimedTransport: Transport {
  struct ServerResponse {
    let status: Int
    let metrics: ExchangeMetrics

    /// - Parameters: In milliseconds since the transport began; on a connection that was kept alive
    ///   nothing is looked up, connected and secured.
    init(
      status: Int, lookup: Int = 0, connect: Int = 0, secure: Int = 0, firstByte: Int, total: Int
    ) {
      self.status = status
      metrics = ExchangeMetrics(
        queued: .zero, nameLookup: .milliseconds(lookup), connect: .milliseconds(connect - lookup),
        secureConnect: .milliseconds(secure - connect), sending: .zero,
        waiting: .milliseconds(firstByte - secure), receiving: .milliseconds(total - firstByte),
        total: .milliseconds(total), isConnectionReused: connect == 0)
    }
  }

  private let scheduler: TestScheduler
  private let answers: Lock<[String: [ServerResponse]]>

  init(_ scheduler: TestScheduler, answers: [String: [ServerResponse]]) {
    self.scheduler = scheduler
    self.answers = Lock(answers)
  }

  func response(for request: URLRequest) -> AnyPublisher<RESTResponse, any Error> {
    Single { [self] resolve in
      let path = request.url?.path ?? ""
      let answer = answers.withLock { answers in
        answers[path]?.isEmpty == false ? answers[path]?.removeFirst() : nil
      }
      guard let url = request.url, let answer else {
        resolve(.failure(TestFailure(name: "no response for \(path)")))
        return AnyCancellable {}
      }
      let response = RESTResponse(
        head: ResponseHead(url: url, statusCode: answer.status, headers: [:]),
        data: Data(#"{"accessToken": "t1", "refreshToken": "r1"}"#.utf8),
        request: RequestSummary(request), metrics: answer.metrics)
      return scheduler.schedule(after: answer.metrics.total ?? .zero) {
        resolve(.success(response))
      }
    }
    .eraseToAnyPublisher()
  }
}
