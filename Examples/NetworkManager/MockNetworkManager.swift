public import Foundation
public import RESTKit
import Synchronization

/// A manager without a network that responds at once with the data of a test.
public final class MockNetworkManager: NetworkManaging {
  public struct Failure: Error {}

  private struct State {
    var output = Data()
    var succeeds = true
    var cancellations = 0
  }

  private let state = Mutex(State())

  public init() {}

  /// The body of every response.
  public var output: Data {
    get { state.withLock { $0.output } }
    set { state.withLock { $0.output = newValue } }
  }

  /// Whether requests succeed or fail with ``Failure``.
  public var succeeds: Bool {
    get { state.withLock { $0.succeeds } }
    set { state.withLock { $0.succeeds = newValue } }
  }

  /// The number of calls to ``cancel()``.
  public var cancellations: Int { state.withLock { $0.cancellations } }

  public func request<Model: Decodable & Sendable>(
    _ method: HTTPMethod, _ path: ResourcePath, headers: HTTPHeaders, token: String?, data: Data?,
    as model: Model.Type, completion: @escaping @Sendable (Result<Model?, any Error>) -> Void
  ) {
    completion(
      Result {
        guard succeeds else { throw Failure() }
        return try JSONDecoder().decode(model, from: output)
      })
  }

  public func cancel() {
    state.withLock { $0.cancellations += 1 }
  }
}
