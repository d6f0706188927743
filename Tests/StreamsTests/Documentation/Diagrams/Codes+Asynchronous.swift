import Streams
import StreamsFixtures

extension DiagramCodes {
  func addAsynchronous() throws {
    let source = letters()
    try code("asyncMap", isTask: true) { source.asyncMap { $0 } }
    try code("tryAsyncMap", isTask: true) { source.tryAsyncMap { $0 } }
    try code("tryAsyncMap", isTask: true) {
      source.tryAsyncMap { (value: String) async throws(TestError) in value }
    }
    try addInfallibleAsynchronous()
  }

  private func addInfallibleAsynchronous() throws {
    let source = safeLetters()
    try code("tryAsyncMap", isTask: true) {
      source.tryAsyncMap { (value: String) async throws(TestError) in value }
    }
  }
}
