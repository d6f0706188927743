import Streams

extension DiagramCodes {
  func addSources() throws {
    let scheduler = scheduler
    try code("Publishers/Deferred") { Deferred { Just("a") } }
    try code("Publishers/Empty") { Empty<String, Never>() }
    try code("Publishers/Fail") { Fail(outputType: String.self, failure: TestError.first) }
    try code("Publishers/Future") { Future<String, Never> { promise in promise(.success("a")) } }
    try code("Publishers/Just") { Just("a") }
    try code("Publishers/Sequence") { ["a", "b"].publisher }
    try code("Publishers/Single") {
      Single<String, Never> { resolve in
        scheduler.schedule(after: .milliseconds(20)) { resolve(.success("a")) }
      }
    }
    try code("Publishers/Timer") {
      Publishers.Timer(every: .milliseconds(30), on: scheduler).map { _ in "t" }.prefix(3)
    }
  }
}
