// Callbacks with many values, and shared publishers, of Docs/FromCombine.md.
import Streams

extension FromCombine {
  /// A source with a callback that comes many times, as there are many.
  nonisolated protocol Sensor: Sendable {
    func start(_ receive: @escaping @Sendable (Double) -> Void) -> any Job
  }

  // snippet: callbacks
  static func readings(of sensor: some Sensor) -> AnyPublisher<Double, Never> {
    Deferred {
      let readings = ReplaySubject<Double, Never>(bufferSize: 64)
      let job = sensor.start { readings.send($0) }
      return readings.handleEvents(receiveCancel: { job.stop() })
    }
    .eraseToAnyPublisher()
  }
  // end

  nonisolated struct AccessToken: Sendable, Equatable {
    let text: String
    let isExpired: Bool
  }

  // snippet: kept
  nonisolated final class Tokens: Sendable {
    private let current: CurrentValueSubject<AccessToken, Never>
    private let flights = SingleFlight<String, AccessToken, APIError>()
    private let refresh: AnyPublisher<AccessToken, APIError>

    init(_ token: AccessToken, refresh: AnyPublisher<AccessToken, APIError>) {
      current = CurrentValueSubject(token)
      self.refresh = refresh
    }

    func token() -> AnyPublisher<AccessToken, APIError> {
      flights.publisher(for: "token") { [current, refresh] in
        let known = current.value
        return known.isExpired
          ? refresh.handleEvents(receiveOutput: { current.send($0) }).eraseToAnyPublisher()
          : Just(known).setFailureType(to: APIError.self).eraseToAnyPublisher()
      }
    }
  }
  // end
}
