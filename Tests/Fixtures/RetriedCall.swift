import Foundation
import RESTKit
import Streams
import StreamsTesting

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A generator whose draws are the largest there are: a wait is its limit.
package struct TopGenerator: RandomNumberGenerator, Sendable {
  // Stored, since ThreadSanitizer follows the address of an `inout` that is nothing.
  private let draw = UInt64.max

  package init() {}

  package func next() -> UInt64 { draw }
}

extension RetryPolicy {
  /// A policy in virtual time, whose waits are their limits.
  package static func test(
    _ scheduler: any Scheduler, _ change: (inout RetryPolicy) -> Void = { _ in }
  ) -> RetryPolicy {
    var policy = RetryPolicy(scheduler: scheduler)
    policy.generator = TopGenerator()
    policy.wallClock = { Date(timeIntervalSince1970: 784_111_777) }
    change(&policy)
    return policy
  }
}

extension TokenSession {
  /// A session in virtual time with the token t0, which a refresh renews to t1 at once.
  package static func renewing(
    on scheduler: any Scheduler, change: (inout TokenSessionOptions) -> Void = { _ in }
  ) -> TokenSession {
    var options = TokenSessionOptions()
    change(&options)
    return TokenSession(
      grant: ClosureGrant { _ in
        Just(TokenResponse(accessToken: "t1")).setFailureType(to: (any Error).self)
      },
      store: MemoryTokenStore(Credential(accessToken: "t0", refreshToken: "r")),
      options: options, scheduler: scheduler)
  }
}

/// One call in virtual time, and all that became of it.
package struct RetriedCall {
  package let scheduler: TestScheduler
  package let transport: ScriptedTransport
  package let subscriber = TestSubscriber<RESTResponse, any Error>()

  package init(_ scheduler: TestScheduler, _ transport: ScriptedTransport) {
    self.scheduler = scheduler
    self.transport = transport
  }

  /// Answers a call as told, and lets it come to its end.
  package init(
    _ answers: ScriptedTransport.ServerResponse..., method: HTTPMethod = .get,
    taking duration: Duration = .zero, change: (inout RetryPolicy) -> Void = { _ in },
    modifier: @escaping RequestModifier = { $0 }
  ) {
    let scheduler = TestScheduler()
    let transport = ScriptedTransport(on: scheduler, taking: duration) { number, _ in
      answers[min(number, answers.count) - 1]
    }
    self.init(scheduler, transport)
    TestAPI(transport: transport).request(method, endpoint: "orders", requestModifier: modifier)
      .retry(.test(scheduler, change))
      .receive(subscriber: subscriber)
    scheduler.run()
  }

  /// Lets a call that has five seconds in all wait so long for its token, and come to its end; its
  /// requests are answered at once.
  package init(waitingForToken wait: Duration) {
    let scheduler = TestScheduler()
    let transport = ScriptedTransport(.status(200), on: scheduler)
    let grant = ClosureGrant(requiresSignIn: false) { _ in
      Just(TokenResponse(accessToken: "late")).setFailureType(to: (any Error).self)
        .delay(for: wait, scheduler: scheduler)
    }
    let session = TokenSession(grant: grant, scheduler: scheduler)
    let policy = RetryPolicy.test(scheduler) { $0.totalTime = .seconds(5) }
    self.init(scheduler, transport)
    session.authorize(TestAPI(transport: transport).get(endpoint: "a").retry(policy))
      .receive(subscriber: subscriber)
    scheduler.run()
  }

  package var status: Int? { subscriber.values.first?.statusCode }
  package var error: RESTError? { subscriber.failure as? RESTError }
  package var sends: Int { transport.requests.count }
}
