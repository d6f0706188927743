import Foundation
import Streams

extension Publisher where Output == TransferEvent {
  /// The chunks of the body only.
  var bodyChunks: AnyPublisher<Data, any Error> {
    mapError { $0 as any Error }
      .compactMap { event in
        guard case .chunk(let chunk) = event else { return nil }
        return chunk
      }
      .eraseToAnyPublisher()
  }
}

extension Publisher where Output == Data {
  /// This publisher with a type-erased failure, as the chunks of a body.
  var bodyChunks: AnyPublisher<Data, any Error> {
    mapError { $0 as any Error }.eraseToAnyPublisher()
  }
}
