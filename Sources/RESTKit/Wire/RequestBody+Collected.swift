import Foundation
import Streams

extension RequestBody {
  /// Returns a publisher of the whole body in memory.
  ///
  /// Each subscription opens the body again.
  package func collected() -> AnyPublisher<Data, any Error> {
    Deferred {
      Result { () throws(TransportError) in try open(chunkBytes: .max) }.publisher
        .mapError { $0 as any Error }
        .flatMap(\.chunks)
        .collect()
        // `reduce` with `+` would copy all previous bytes for each chunk.
        .map { chunks in chunks.reduce(into: Data()) { $0.append($1) } }
    }
    .eraseToAnyPublisher()
  }
}
