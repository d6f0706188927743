// Callbacks, tasks and contexts of Docs/FromCombine.md.
import Foundation
import Streams

extension FromCombine {
  /// A client with callbacks, as there are many.
  nonisolated protocol Client: Sendable {
    func start(_ completion: @escaping @Sendable (Result<String, APIError>) -> Void) -> any Job
  }

  nonisolated protocol Job: Sendable {
    func stop()
  }

  // snippet: single
  static func answer(of client: some Client) -> AnyPublisher<String, APIError> {
    Single { resolve in
      let job = client.start { resolve($0) }
      return AnyCancellable { job.stop() }
    }
    .retry(2)
    .eraseToAnyPublisher()
  }
  // end

  static func inTasks(
    _ request: AnyPublisher<String, APIError>, _ pages: AnyPublisher<Int, any Error>,
    _ lines: AsyncStream<String>
  ) async throws -> (String, Int, [String]) {
    // snippet: async
    let answer = try await request.value  // the one value

    var sum = 0
    for try await page in pages.values { sum += page }  // each, as it is asked for

    let words = lines.publisher.map { $0.uppercased() }  // and back
    let all = try await words.allValues
    // end
    return (answer, sum, all)
  }

  // snippet: context
  enum Screen: SubscriptionContextKey {
    static var defaultValue: String { "none" }
  }

  static let visit = DeferredInContext { context in
    Just("asked for by \(context[Screen.self])")
  }

  static func onSettings() async throws -> String {
    try await visit.subscribe(on: .continuous).context(Screen.self, "settings").value
  }
  // end
}
