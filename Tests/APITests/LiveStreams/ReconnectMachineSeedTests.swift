import Fixtures
import Foundation
import Streams
import StreamsTesting
import Testing

@testable import RESTKit

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("The steps after a connection of a live stream, by seeds")
struct ReconnectMachineSeedTests {
  /// A policy, and what its machine is told, drawn.
  private struct Life {
    var generator: SeededGenerator
    var policy: ReconnectPolicy
    var retry = RetryPolicy(budget: nil)
    var machine: ReconnectMachine
    /// How many connections in a row brought nothing.
    var failures = 0

    init(seed: UInt64) {
      generator = SeededGenerator(seed: seed)
      policy = ReconnectPolicy()
      policy.delay = Self.time(&generator, -1...5_000)
      policy.maxDelay = Self.time(&generator, -1...60_000)
      policy.maxServerDelay = Self.time(&generator, 0...20_000)
      policy.maxFailures = Bool.random(using: &generator) ? nil : generator.number(1...6)
      policy.reconnectsAfterEnd = generator.number(0...9) > 0
      policy.maxRetryAfter = Self.time(&generator, 0...10_000)
      // It is for calls.
      retry.maxRetryAfter = .zero
      machine = ReconnectMachine(policy, rule: RetryRule(policy: retry))
    }

    static func time(_ generator: inout SeededGenerator, _ range: ClosedRange<Int>) -> Duration {
      .milliseconds(generator.number(range))
    }

    /// Makes a connection, and checks what follows; false where the stream ends.
    mutating func connect() throws -> Bool {
      machine.begin()
      let delivers = generator.number(0...2) == 0
      if delivers { machine.noteDelivery() }
      failures = delivers ? 0 : failures + 1
      let serverDelay = Bool.random(using: &generator) ? nil : Self.time(&generator, 0...40_000)
      machine.serverDelay = serverDelay
      let retryAfter =
        generator.number(0...3) > 0 ? nil : Self.time(&generator, 0...11_000)
      let outcome = generator.one(of: [
        AttemptOutcome.ended, .status(503, retryAfter: retryAfter),
        .fault(.connectionReset, mayHaveBeenProcessed: true),
        .status(404, retryAfter: nil),
      ])
      let isPost = generator.number(0...19) == 0
      let step = machine.step(
        after: outcome, of: Self.sent(isPost ? .post : .get), using: &generator)
      try check(step, outcome, isPost: isPost, delivers: delivers, serverDelay: serverDelay)
      if case .again = step { return true }
      return false
    }

    private static func sent(_ method: HTTPMethod) -> SentRequests {
      var request = URLRequest(url: URL(fileURLWithPath: "/feed"))
      request.httpMethod = method.rawValue
      return SentRequests([SentRequest(request, body: nil)])
    }

    private func check(
      _ step: RepeatStep, _ outcome: AttemptOutcome, isPost: Bool,
      delivers: Bool, serverDelay: Duration?
    ) throws {
      var asked = Duration.zero
      switch outcome {
      case .ended where !policy.reconnectsAfterEnd || isPost, .status(404, _):
        return try demand(step == .deliver, "\(outcome), \(step)")
      case .status(_, let retryAfter?): asked = retryAfter
      default: break
      }
      if isPost { return try demand(step == .stop(.notIdempotent(.post)), "\(step)") }
      if !delivers, let most = policy.maxFailures, failures >= most {
        return try demand(step == .stop(.failuresSpent(failures)), "\(step)")
      }
      guard asked <= policy.maxRetryAfter else {
        let stop = RetryRefusal.retryAfterTooLong(asked, limit: "ReconnectPolicy.maxRetryAfter")
        return try demand(step == .stop(stop), "\(step)")
      }
      guard case .again(let wait, let isFree, let remark) = step else {
        throw Astray(description: "\(outcome), \(step)")
      }
      let least = max(
        serverDelay.map { min($0, policy.maxServerDelay) } ?? policy.delay, .milliseconds(100))
      try demand(wait >= least + asked, "\(wait) is shorter than \(least) + \(asked)")
      let most = delivers && serverDelay != nil ? least : max(least, policy.maxDelay)
      try demand(wait <= most + asked, "\(wait) is longer than \(most) + \(asked)")
      try demand(isFree || !delivers && outcome != .ended, "an event is paid for")
      let isShortened = serverDelay.map { $0 > policy.maxServerDelay } ?? false
      try demand(!remark.isEmpty == isShortened, remark)
    }
  }

  @Test("No wait is too short or too long, and only the policy ends a stream")
  func lives() throws {
    try TestScheduler.explore(seeds: 0..<3_000) { scheduler in
      var (life, count) = (Life(seed: scheduler.seed ?? 0), 0)
      while try life.connect(), count < 50 { count += 1 }
    }
  }
}
