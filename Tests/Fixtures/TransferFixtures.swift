import Foundation
import RESTKit
import Streams

/// The outcome of an exchange in pieces.
struct Received: Sendable {
  var sent: [TransferProgress] = []
  var heads: [ResponseHead] = []
  var chunks: [Data] = []
  var failure: (any Error)?

  var data: Data { chunks.reduce(Data(), +) }
  var error: RESTError? { failure as? RESTError }
}

extension Publisher<TransferEvent, any Error> {
  /// Everything, to the end.
  func received() async -> Received {
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
final class TemporaryFolder: Sendable {
  let url: URL

  init(in parent: URL = FileManager.default.temporaryDirectory) throws {
    url = parent.appendingPathComponent("RESTKitTests-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  func file(_ name: String, _ data: Data) throws -> URL {
    let file = url.appendingPathComponent(name)
    try data.write(to: file)
    return file
  }

  var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: url.path).sorted() }
  }
}
