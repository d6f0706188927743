import Streams

extension DiagramCodes {
  func addAsynchronous() throws {
    let source = letters()
    try code("Concurrency/AsyncMap", isTask: true) { source.asyncMap { $0 } }
    try code("Concurrency/AsyncMap", isTask: true) { source.tryAsyncMap { $0 } }
    try code("Concurrency/AsyncMap", isTask: true) {
      source.tryAsyncMap { (value: String) async throws(TestError) in value }
    }
    try addInfallibleAsynchronous()
  }

  private func addInfallibleAsynchronous() throws {
    let source = safeLetters()
    try code("Concurrency/AsyncMap", isTask: true) {
      source.tryAsyncMap { (value: String) async throws(TestError) in value }
    }
  }
}
