import Streams
import StreamsTesting

extension ConformanceEntry {
  static let recovering: [ConformanceEntry] = replacing + retrying + watching

  private static let replacing: [ConformanceEntry] = [
    .operator("catch", failures: .handled) { upstream, rig in
      upstream.catch { _ in Just(rig.pass(0)) }
    },
    .operator("tryCatch", failures: .handled) { upstream, rig in
      upstream.tryCatch { _ throws -> Just<Int> in Just(rig.pass(0)) }
    },
    .operator("tryCatch", "typed", failures: .handled) { upstream, rig in
      upstream.tryCatch { _ throws(ConformanceError) -> AnyPublisher<Int, ConformanceError> in
        Just(rig.pass(0)).setFailureType(to: ConformanceError.self).eraseToAnyPublisher()
      }
    },
    .operator("tryCatch", "by what cannot fail", failures: .handled) { upstream, rig in
      upstream.tryCatch { _ throws(ConformanceError) -> Just<Int> in Just(rig.pass(0)) }
    },
    .operator("mapError", memory: .none) { upstream, rig in
      upstream.mapError { rig.pass($0) }
    },
    .operator("replaceError", failures: .handled) { upstream, _ in upstream.replaceError(with: 0) },
    .operator("replaceEmpty") { upstream, _ in upstream.replaceEmpty(with: 0) },
    .operator("assertNoFailure", failures: .handled) { upstream, _ in
      upstream.infallible.assertNoFailure()
    },
    .operator("materialize", failures: .handled) { upstream, _ in upstream.materialize() },
    .operator("dematerialize", failures: .handled) { upstream, rig in
      upstream.infallible.map { Streams.Signal<Int, ConformanceError>.value(rig.pass($0)) }
        .dematerialize()
    },
  ]

  private static let retrying: [ConformanceEntry] = [
    .operator("retry", failures: .handled) { upstream, _ in upstream.retry(2) },
    .operator("retry", "no retry left") { upstream, _ in upstream.retry(0) },
    .operator("retry", "with a policy", failures: .handled) { upstream, rig in
      upstream.retry(backoff: Publishers.Backoff(maxRetries: 2), scheduler: rig.scheduler) { _ in
        rig.pass(true)
      }
    },
    .operator("retry", "with a policy and a chained publisher", failures: .handled) {
      upstream, rig in
      upstream.retry(
        backoff: Publishers.Backoff(maxRetries: 2), scheduler: rig.scheduler,
        when: { _ in rig.pass(true) }, chainedPublisher: rig.numbers)
    },
    .operator("retry", "with a policy and a chained publisher that cannot fail", failures: .handled)
    {
      upstream, rig in
      upstream.retry(
        backoff: Publishers.Backoff(maxRetries: 2), scheduler: rig.scheduler,
        when: { _ in rig.pass(true) }, chainedPublisher: Just("token"))
    },
    .operator("retryOn", "a predicate") { upstream, rig in
      upstream.retryOn({ _ in rig.pass(false) }, retries: 2, chainedPublisher: rig.numbers)
    },
    .operator("retryOn", "a predicate, chained to what cannot fail", failures: .handled) {
      upstream, rig in
      upstream.retryOn({ _ in rig.pass(true) }, retries: 2, chainedPublisher: Just("token"))
    },
    .operator("retryOn", "an error", failures: .handled) { upstream, rig in
      upstream.retryOn(
        ConformanceError(), retries: 2, chainedPublisher: rig.numbers.map { rig.pass($0) })
    },
    .operator("retryOn", "an error, chained to what cannot fail", failures: .handled) {
      upstream, _ in
      upstream.retryOn(ConformanceError(), retries: 2, chainedPublisher: Just("token"))
    },
  ]

  private static let watching: [ConformanceEntry] = [
    .operator("handleEvents") { upstream, rig in
      upstream.handleEvents(
        receiveSubscription: { _ in rig.touch() }, receiveOutput: { _ in rig.touch() },
        receiveCompletion: { _ in rig.touch() }, receiveCancel: { rig.touch() },
        receiveRequest: { _ in rig.touch() })
    },
    .operator("context", memory: .none) { upstream, _ in upstream.context(DepthKey.self, 1) },
    .operator("print") { upstream, rig in upstream.print(to: Silence(rig: rig)) },
    .operator("breakpoint") { upstream, rig in
      upstream.breakpoint(
        receiveSubscription: { _ in rig.pass(false) }, receiveOutput: { _ in rig.pass(false) },
        receiveCompletion: { _ in rig.pass(false) })
    },
    .operator("breakpointOnError", failures: .handled) { upstream, _ in
      upstream.infallible.breakpointOnError()
    },
  ]
}

/// Swallows what is printed.
private struct Silence: TextOutputStream, Sendable {
  let rig: ConformanceRig

  func write(_ string: String) {
    rig.touch()
  }
}
