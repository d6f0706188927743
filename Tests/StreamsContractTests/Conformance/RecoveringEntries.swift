import Streams
import StreamsFixtures
import StreamsTesting

extension ConformanceEntry {
  static let recovering: [ConformanceEntry] = replacing + retrying + watching

  private static let replacing: [ConformanceEntry] = [
    .operator("catch", failures: .handled) { upstream, rig in
      upstream.catch { _ in Just(rig.pass(0)) }
    }
    .changingNothing(trigger: .failure) { base, rig in
      base.catch { Fail(outputType: Int.self, failure: rig.pass($0)) }
    },
    .operator("tryCatch", failures: .handled) { upstream, rig in
      upstream.tryCatch { _ throws -> Just<Int> in Just(rig.pass(0)) }
    }
    .changingNothing(trigger: .failure) { base, rig in
      base.tryCatch { error throws -> AnyPublisher<Int, TestError> in throw rig.pass(error) }
        .mapError { ($0 as? TestError) ?? .third }
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
    }
    .changingNothing(trigger: .failure) { base, rig in base.mapError { rig.pass($0) } },
    .operator("replaceError", failures: .handled) { upstream, _ in upstream.replaceError(with: 0) },
    .operator("replaceEmpty") { upstream, _ in upstream.replaceEmpty(with: 0) }
      .changingNothing(trigger: .nothing, isTail: true) { base, _ in
        base.map { Optional($0) }.replaceEmpty(with: nil).compactMap { $0 }
      },
    .operator("assertNoFailure", failures: .handled) { upstream, _ in
      upstream.infallible.assertNoFailure()
    },
    .operator("materialize", failures: .handled) { upstream, _ in upstream.materialize() }
      .changingNothing(trigger: .nothing, isTail: true) { base, _ in
        base.materialize().dematerialize()
      },
    .operator("dematerialize", failures: .handled) { upstream, rig in
      upstream.infallible.map { Signal<Int, ConformanceError>.value(rig.pass($0)) }
        .dematerialize()
    },
  ]

  private static let retrying: [ConformanceEntry] = [
    .operator("retry", failures: .handled) { upstream, _ in upstream.retry(2) },
    .operator("retry", "no retry left") { upstream, _ in upstream.retry(0) }
      .changingNothing(trigger: .nothing) { base, _ in base.retry(0) },
    .operator("retry", "with a policy", failures: .handled) { upstream, rig in
      upstream.retry(backoff: Publishers.Backoff(maxRetries: 2), scheduler: rig.scheduler) { _ in
        rig.pass(true)
      }
    }
    .timed { base, scheduler in
      base.retry(backoff: Publishers.Backoff(maxRetries: 0), scheduler: scheduler)
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
    }
    .changingNothing(trigger: .failure) { base, rig in
      base.retryOn({ _ in rig.pass(false) }, retries: 3, chainedPublisher: Just(0))
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
    }
    .changingNothing { base, rig in
      base.handleEvents(
        receiveSubscription: { _ in rig.touch() }, receiveOutput: { _ in rig.touch() },
        receiveCompletion: { _ in rig.touch() }, receiveCancel: rig.touch,
        receiveRequest: { _ in rig.touch() })
    },
    .operator("context", memory: .none) { upstream, _ in upstream.context(DepthKey.self, 1) },
    .operator("print") { upstream, rig in upstream.print(to: Silence { rig.touch() }) }
      .changingNothing { base, rig in base.print(to: Silence(touch: rig.touch)) },
    .operator("breakpoint") { upstream, rig in
      upstream.breakpoint(
        receiveSubscription: { _ in rig.pass(false) }, receiveOutput: { _ in rig.pass(false) },
        receiveCompletion: { _ in rig.pass(false) })
    }
    .changingNothing { base, rig in base.breakpoint(receiveOutput: { _ in rig.pass(false) }) },
    .operator("breakpointOnError", failures: .handled) { upstream, _ in
      upstream.infallible.breakpointOnError()
    },
  ]
}

/// Discards the printed text.
private struct Silence: TextOutputStream, Sendable {
  let touch: @Sendable () -> Void

  func write(_ string: String) {
    touch()
  }
}
