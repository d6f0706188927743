import Foundation
import RESTKit
import RESTKitTesting
import Streams
import StreamsTesting

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A stream of events in virtual time, and all that became of it: each response stands for a
/// connection, and the waits between them have no jitter.
package struct LiveFeed {
  package let scheduler = TestScheduler()
  package let stubs: StubTransport
  package let subscriber: TestSubscriber<ServerSentEvent, any Error>
  package let policy: ReconnectPolicy

  package static let url = "https://api.example.com/v1/feed"
  package static let type: HTTPHeaders = ["Content-Type": "text/event-stream"]

  /// - Parameters:
  ///   - answers: What the connections get, in order.
  ///   - isLasting: Whether the last one is for all others, too.
  package init(
    _ answers: [StubbedResponse], method: HTTPMethod = .get, isLasting: Bool = false,
    demand: Subscribers.Demand = .unlimited, change: (inout ReconnectPolicy) -> Void = { _ in }
  ) {
    let request = StubRequest(method, urlString: Self.url)
    var script = StubAPIResponse(answers.map { (request, $0) })
    if isLasting { script = script?.always() }
    stubs = StubTransport(
      script ?? StubAPIResponse(request: request), scheduler: scheduler)
    var policy = ReconnectPolicy(maxDelay: .seconds(3), retry: .unbudgeted(scheduler))
    change(&policy)
    self.policy = policy
    subscriber = TestSubscriber(demand: demand)
  }

  package var api: TestAPI { TestAPI(transport: stubs) }

  /// Subscribes.
  package func begin(
    _ method: HTTPMethod = .get, body: RequestBody? = nil, lastEventID: String = ""
  ) {
    api.serverSentEvents(
      method, endpoint: "feed", body: body, lastEventID: lastEventID, reconnecting: policy
    ).receive(subscriber: subscriber)
  }

  package var data: [String] { subscriber.values.map(\.data) }
  package var error: RESTError? { subscriber.failure as? RESTError }

  /// The ids from which the connections asked to continue.
  package var ids: [String?] {
    stubs.requests.map { $0.value(forHTTPHeaderField: "Last-Event-ID") }
  }

  /// The waits and connections in the log of the failure.
  package var log: [String] {
    (error?.log?.events ?? []).compactMap { event in
      switch event.kind {
      case .sent, .waiting, .notRetried: "\(event)"
      default: nil
      }
    }
  }
}

extension StubbedResponse {
  /// A response of events.
  package static func events(_ pieces: StubPiece..., end: BodyEnd = .complete) -> StubbedResponse {
    StubbedResponse(headers: LiveFeed.type, pieces: pieces, end: end)
  }

  package static func status(_ status: Int, _ headers: HTTPHeaders = [:]) -> StubbedResponse {
    StubbedResponse(statusCode: status, headers: headers)
  }
}

extension RetryPolicy {
  /// A policy in virtual time without a budget.
  package static func unbudgeted(_ scheduler: any Scheduler) -> RetryPolicy {
    var policy = RetryPolicy(budget: nil, scheduler: scheduler)
    policy.wallClock = { Date(timeIntervalSince1970: 784_111_777) }
    return policy
  }
}
