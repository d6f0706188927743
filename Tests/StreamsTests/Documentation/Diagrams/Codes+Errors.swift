import Streams
import StreamsFixtures

extension DiagramCodes {
  func addErrors() throws {
    let source = numbers()
    let other = numbers("other")
    try code("assertNoFailure") { source.assertNoFailure() }
    try code("catch") { source.catch { _ in other } }
    try code("tryCatch") { source.tryCatch { _ in other } }
    try code("mapError") { source.mapError { Wrapped($0) } }
    try code("replaceError") { source.replaceError(with: 0) }
    try code("retry") { source.retry(1) }
    try addChains(letters("step"))
    try addSafeChains(safeLetters("step"))
    try addPolicies()
    try addInfallible()
  }

  private func addChains(_ step: DiagramSource<String, TestError>) throws {
    let source = numbers()
    try code("retryOn") {
      source.retryOn({ _ in true }, retries: 1, chainedPublisher: step)
    }
    try code("retryOn") { source.retryOn(.first, retries: 1, chainedPublisher: step) }
  }

  private func addSafeChains(_ step: DiagramSource<String, Never>) throws {
    let source = numbers()
    try code("retryOn") {
      source.retryOn({ _ in true }, retries: 1, chainedPublisher: step)
    }
    try code("retryOn") { source.retryOn(.first, retries: 1, chainedPublisher: step) }
  }

  private func addPolicies() throws {
    let source = letters()
    let scheduler = scheduler
    try code("retry") {
      source.retry(backoff: .init(maxRetries: 2, maxDelay: .zero), scheduler: scheduler)
    }
    try code("retry") {
      source.retry(
        backoff: .init(maxRetries: 2, maxDelay: .zero), scheduler: scheduler,
        chainedPublisher: Empty<Never, TestError>())
    }
    try code("retry") {
      source.retry(
        backoff: .init(maxRetries: 2, maxDelay: .zero), scheduler: scheduler,
        chainedPublisher: Just("r"))
    }
  }

  private func addInfallible() throws {
    let source = safeNumbers()
    try code("setFailureType") { source.setFailureType(to: Refused.self) }
  }
}
