import Foundation
import Streams

extension RequestBody {
  /// The whole body, in memory, opened for each subscription.
  package func collected() -> AnyPublisher<Data, any Error> {
    Deferred {
      Result { () throws(TransportError) in try open(chunkBytes: .max) }.publisher
        .mapError { $0 as any Error }
        .flatMap(\.chunks)
        .collect()
        // Not `reduce` with `+`, which would copy all that is there for each chunk.
        .map { chunks in chunks.reduce(into: Data()) { $0.append($1) } }
    }
    .eraseToAnyPublisher()
  }
}
