import Fixtures
import Foundation
import Streams
import StreamsTesting
import Synchronization
import Testing

@testable import RESTKit

@Suite("A body collected in a temporary file", .leakFree)
struct SpooledBodyTests {
  /// The visible state of a body while it exists.
  private struct Sight: Sendable {
    let file: URL
    let length: Int64
    let data: Data
    let mode: Int?
  }

  private func chunks(_ texts: String...) -> AnyPublisher<Data, any Error> {
    texts.map { Data($0.utf8) }.publisher.setFailureType(to: (any Error).self)
      .eraseToAnyPublisher()
  }

  /// Collects a body, looks at it, and releases it.
  private func sight(of chunks: AnyPublisher<Data, any Error>, length: Int64?) -> Sight? {
    let seen = Mutex<Sight?>(nil)
    let cancellable = SpooledBody.publisher(of: chunks, length: length)
      .tryMap { spool in
        let attributes = try FileManager.default.attributesOfItem(atPath: spool.file.path)
        return Sight(
          file: spool.file, length: spool.length, data: try Data(contentsOf: spool.file),
          mode: attributes[.posixPermissions] as? Int)
      }
      .sink(receiveCompletion: { _ in }, receiveValue: { sight in seen.withLock { $0 = sight } })
    cancellable.cancel()
    return seen.withLock { $0 }
  }

  @Test(
    "A spooled body has all chunks, and its file is private and removed with it",
    arguments: [nil, 6] as [Int64?])
  func collected(length: Int64?) throws {
    let look = try #require(sight(of: chunks("abc", "", "def"), length: length))
    #expect(look.length == 6)
    #expect(look.data == Data("abcdef".utf8))
    #expect(look.mode == 0o600)
    #expect(!FileManager.default.fileExists(atPath: look.file.path))
  }

  @Test("A spooled body without chunks is empty", arguments: [nil, 0] as [Int64?])
  func empty(length: Int64?) throws {
    let look = try #require(sight(of: chunks(), length: length))
    #expect(look.length == 0)
    #expect(look.data.isEmpty)
  }

  @Test(
    "A spooled body of another length than announced fails before anything is sent",
    arguments: [
      (5, "gave more than the 5 bytes of its declared length"),
      (7, "gave 6 of the 7 bytes of its declared length"),
    ] as [(Int64, String)])
  func wrongLength(length: Int64, words: String) async {
    let spooled = SpooledBody.publisher(of: chunks("abc", "def"), length: length)
    let fault = await #expect(throws: TransportError.self) { _ = try await spooled.value }
    #expect(fault?.kind == .sendFailed)
    #expect(fault?.detail.contains(words) == true)
    #expect(fault?.mayHaveBeenProcessed == false)
  }
}
