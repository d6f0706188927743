import Foundation
import RESTKit
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A transport that answers from scripts, without a network.
///
/// It belongs to the client it is given to: nothing is shared between two of them, so tests that
/// each make their own can run side by side.
///
/// ```swift
/// let stubs = StubTransport(script)
/// let service = IdentityService(baseURL: "https://id.example.com", transport: stubs)
/// …
/// try stubs.verify()
/// ```
///
/// Answers come on the thread that subscribes, or on the scheduler where they are delayed.
public final class StubTransport: Transport {
  private struct Script: Sendable {
    let steps: [StubAPIResponse.Step]
    var position = 0
  }

  private struct State: Sendable {
    var scripts: [Script]
    var requests: [URLRequest] = []
    var failures: [StubError] = []

    /// Takes the response that is next in a script for this request.
    mutating func take(for request: URLRequest) -> StubAPIResponse.Step? {
      let index = scripts.firstIndex { script in
        script.position < script.steps.count
          && script.steps[script.position].request.matches(request)
      }
      guard let index else { return nil }
      defer { scripts[index].position += 1 }
      return scripts[index].steps[scripts[index].position]
    }
  }

  private let state: Lock<State>
  private let scheduler: any Scheduler

  /// - Parameters:
  ///   - scripts: What to answer. Each is consumed in its own order.
  ///   - scheduler: What delays wait on; a `TestScheduler` for virtual time. By default there is no
  ///     waiting.
  public init(_ scripts: StubAPIResponse..., scheduler: any Scheduler = .immediate) {
    state = Lock(State(scripts: scripts.map { Script(steps: $0.steps) }))
    self.scheduler = scheduler
  }

  /// Every request that was sent, in order, the unmatched ones too.
  public var requests: [URLRequest] { state.withLock { $0.requests } }

  /// The responses that nobody asked for yet, as a line each.
  public var unusedStubs: [String] {
    state.withLock { $0.scripts }.flatMap { script in
      script.steps[script.position...].map(Self.line)
    }
  }

  /// Says what did not go by the scripts: requests that no stub matched, verifications that failed,
  /// stubs that nobody used.
  ///
  /// Call it at the end of a test.
  ///
  /// - Throws: ``StubError``.
  public func verify() throws(StubError) {
    var errors = state.withLock { $0.failures }
    let unused = unusedStubs
    if !unused.isEmpty { errors.append(.unusedStubs(unused)) }
    guard let first = errors.first else { return }
    throw errors.count == 1 ? first : .several(errors)
  }

  public func response(for request: URLRequest) -> AnyPublisher<RESTResponse, any Error> {
    Single { [self] resolve in
      let step: StubAPIResponse.Step
      do throws(StubError) {
        step = try take(for: request)
      } catch {
        resolve(.failure(error))
        return Subscriptions.empty
      }
      let answer = Self.answer(step, to: request)
      guard step.delay > .zero else {
        resolve(answer)
        return Subscriptions.empty
      }
      return scheduler.schedule(after: step.delay) { resolve(answer) }
    }
    .eraseToAnyPublisher()
  }

  private func take(for request: URLRequest) throws(StubError) -> StubAPIResponse.Step {
    let (step, scripts) = state.withLock { state in
      state.requests.append(request)
      let scripts = state.scripts
      return (state.take(for: request), scripts)
    }
    guard let step else {
      throw note(.unmatchedRequest(RequestSummary(request), stubs: Self.lines(scripts)))
    }
    for verification in step.verifications {
      do {
        try verification(request)
      } catch {
        throw note(
          .verificationFailed(
            RequestSummary(request), at: step.place.description, reason: error))
      }
    }
    return step
  }

  private func note(_ error: StubError) -> StubError {
    state.withLock { $0.failures.append(error) }
    return error
  }

  private static func answer(
    _ step: StubAPIResponse.Step, to request: URLRequest
  ) -> Result<RESTResponse, any Error> {
    step.result.flatMap { data in
      guard let url = request.url else {
        return .failure(StubError.unmatchedRequest(RequestSummary(request), stubs: []))
      }
      let head = ResponseHead(url: url, statusCode: step.statusCode, headers: step.headers)
      return .success(RESTResponse(head: head, data: data, request: RequestSummary(request)))
    }
  }

  private static func lines(_ scripts: [Script]) -> [String] {
    scripts.flatMap { script in
      script.steps.enumerated().map { index, step in
        let standing =
          index < script.position ? "used" : index == script.position ? "next" : "after that"
        return "\(line(step)), \(standing)"
      }
    }
  }

  private static func line(_ step: StubAPIResponse.Step) -> String {
    let outcome =
      switch step.result {
      case .success: "\(step.statusCode)"
      case .failure: "failure"
      }
    return "\(step.request) → \(outcome) (\(step.place))"
  }
}
