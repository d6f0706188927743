import Foundation
import RESTKit
import Streams

/// The result of an exchange in pieces.
struct TransportPieces: Sendable {
  var sent: [TransferProgress] = []
  var heads: [ResponseHead] = []
  var chunks: [Data] = []
  var failure: (any Error)?
  /// Whether a chunk came before the head or was empty.
  var isDisordered = false

  var data: Data { chunks.reduce(Data(), +) }

  /// Collects everything, to the end.
  init(_ events: AnyPublisher<TransferEvent, any Error>) async {
    do {
      for try await event in events.values {
        switch event {
        case .sent(let progress): sent.append(progress)
        case .head(let head): heads.append(head)
        case .chunk(let chunk):
          chunks.append(chunk)
          isDisordered = isDisordered || heads.count != 1 || chunk.isEmpty
        }
      }
    } catch {
      failure = error
    }
  }
}
