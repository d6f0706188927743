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

/// A file with these bytes, which goes with this object.
package final class TemporaryFolder: Sendable {
  package let url: URL

  package init(in parent: URL = FileManager.default.temporaryDirectory) throws {
    url = parent.appendingPathComponent("Fixtures-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  package func file(_ name: String, _ data: Data) throws -> URL {
    let file = url.appendingPathComponent(name)
    try data.write(to: file)
    return file
  }

  package var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: url.path).sorted() }
  }
}
