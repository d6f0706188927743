import Streams

extension DiagramCodes {
  func addErrors() throws {
    let source = numbers()
    let other = numbers("other")
    try code("Operators/AssertNoFailure") { source.assertNoFailure() }
    try code("Operators/Catch") { source.catch { _ in other } }
    try code("Operators/TryCatch") { source.tryCatch { _ in other } }
    try code("Operators/MapError") { source.mapError { Wrapped($0) } }
    try code("Operators/ReplaceError") { source.replaceError(with: 0) }
    try code("Operators/Retry") { source.retry(1) }
    try addChains(letters("step"))
    try addSafeChains(safeLetters("step"))
    try addPolicies()
    try addInfallible()
  }

  private func addChains(_ step: DiagramSource<String, TestError>) throws {
    let source = numbers()
    try code("Operators/RetryOn") {
      source.retryOn({ _ in true }, retries: 1, chainedPublisher: step)
    }
    try code("Operators/RetryOn") { source.retryOn(.first, retries: 1, chainedPublisher: step) }
  }

  private func addSafeChains(_ step: DiagramSource<String, Never>) throws {
    let source = numbers()
    try code("Operators/RetryOn") {
      source.retryOn({ _ in true }, retries: 1, chainedPublisher: step)
    }
    try code("Operators/RetryOn") { source.retryOn(.first, retries: 1, chainedPublisher: step) }
  }

  private func addPolicies() throws {
    let source = letters()
    let scheduler = scheduler
    try code("Operators/RetryWithPolicy") {
      source.retry(policy: .init(maxRetries: 2, maxDelay: .zero), scheduler: scheduler)
    }
    try code("Operators/RetryWithPolicy") {
      source.retry(
        policy: .init(maxRetries: 2, maxDelay: .zero), scheduler: scheduler,
        chainedPublisher: Empty<Never, TestError>())
    }
    try code("Operators/RetryWithPolicy") {
      source.retry(
        policy: .init(maxRetries: 2, maxDelay: .zero), scheduler: scheduler,
        chainedPublisher: Just("r"))
    }
  }

  private func addInfallible() throws {
    let source = safeNumbers()
    try code("Operators/SetFailureType") { source.setFailureType(to: Refused.self) }
  }
}
