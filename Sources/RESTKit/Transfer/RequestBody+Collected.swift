import Foundation
import Streams

extension RequestBody {
  /// The whole body, in memory.
  func collected() -> AnyPublisher<Data, any Error> {
    Deferred {
      Result { () throws(TransportFault) in try begin() }.publisher
        .mapError { $0 as any Error }
        .flatMap { bytes }
    }
    .eraseToAnyPublisher()
  }

  private var bytes: AnyPublisher<Data, any Error> {
    switch source {
    case .data(let data):
      Just(data).setFailureType(to: (any Error).self).eraseToAnyPublisher()
    case .file(let file):
      Deferred { Result { try Data(contentsOf: file) }.publisher }.eraseToAnyPublisher()
    case .spool(let spool):
      Deferred { Result { try Data(contentsOf: spool.file) }.publisher }.eraseToAnyPublisher()
    case .chunks(let chunks):
      chunks.reduce(Data()) { $0 + $1 }.eraseToAnyPublisher()
    }
  }
}
