import Foundation
import RESTKit
import Streams

/// The outcome of an exchange in pieces.
package struct Received: Sendable {
  package var sent: [TransferProgress] = []
  package var heads: [ResponseHead] = []
  package var chunks: [Data] = []
  package var failure: (any Error)?

  package var data: Data { chunks.reduce(Data(), +) }
  package var error: RESTError? { failure as? RESTError }
}

extension Publisher<TransferEvent, any Error> {
  /// Everything, to the end.
  package func received() async -> Received {
    var received = Received()
    do {
      for try await event in values {
        switch event {
        case .sent(let progress): received.sent.append(progress)
        case .head(let head): received.heads.append(head)
        case .chunk(let chunk): received.chunks.append(chunk)
        }
      }
    } catch {
      received.failure = error
    }
    return received
  }
}
