import Streams
import StreamsFixtures
import StreamsTesting

extension DiagramCodes {
  func addSources() throws {
    let scheduler = scheduler
    try code("Deferred") { Deferred { Just("a") } }
    try code("DeferredInContext") {
      DeferredInContext { context in Just(context[DepthKey.self] == 0 ? "a" : "b") }
    }
    try code("Empty") { Empty<String, Never>() }
    try code("Fail") { Fail(outputType: String.self, failure: TestError.first) }
    try code("Future") { Future<String, Never> { promise in promise(.success("a")) } }
    try code("Just") { Just("a") }
    try code("Sequence") { Publishers.Sequence(["a", "b"]) }
    try code("Single") {
      Single<String, Never> { resolve in
        scheduler.schedule(after: .milliseconds(20)) { resolve(.success("a")) }
      }
    }
    try code("Timer") {
      Publishers.Timer(every: .milliseconds(30), on: scheduler).map { _ in "t" }.prefix(3)
    }
  }
}
