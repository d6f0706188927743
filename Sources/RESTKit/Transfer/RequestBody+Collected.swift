import Foundation
import Streams

extension RequestBody {
  /// The whole body, in memory, opened for each subscription.
  func collected() -> AnyPublisher<Data, any Error> {
    Deferred {
      Result { () throws(TransportFault) in try open() }.publisher
        .mapError { $0 as any Error }
        .flatMap(\.chunks)
        .reduce(Data()) { $0 + $1 }
    }
    .eraseToAnyPublisher()
  }
}
