import Foundation
import RESTKit
import Streams
import Synchronization

/// A body, and the two ways to split it.
struct Contest: Sendable {
  let title: String
  let body: Data
  let count: Int
  let own: @Sendable ([Data]) throws -> Int
  let peer: @Sendable ([Data]) -> Int

  static let all = [lines, events]

  private static let line = String(repeating: "0123456789", count: 10).dropLast()
  private static let lineCount = 160_000

  private static let lines = Contest(
    title: "lines of 100 bytes", body: Data(String(repeating: "\(line)\n", count: lineCount).utf8),
    count: lineCount,
    own: { chunks in try totals(of: chunks.publisher.lines()) { $0.utf8.count } },
    peer: { chunks in
      var bytes = 0
      forEachLine(of: chunks) { bytes += String($0).utf8.count + 1 }
      return bytes
    })

  private static let events = Contest(
    title: "events of 100 bytes",
    body: Data(String(repeating: "data: \(line.dropLast(7))\n\n", count: lineCount).utf8),
    count: lineCount,
    own: { chunks in try totals(of: chunks.publisher.serverSentEvents()) { $0.data.utf8.count } },
    peer: { chunks in
      var (bytes, data) = (0, [Substring]())
      forEachLine(of: chunks) { line in
        if line.isEmpty {
          bytes += data.joined(separator: "\n").utf8.count + 1
          data = []
        } else if line.hasPrefix("data: ") {
          data.append(line.dropFirst(6))
        }
      }
      return bytes
    })
}

/// Returns the number of values of a publisher, and the number of bytes in all of them.
func totals<Values: Publisher>(
  of values: Values, bytes: @escaping @Sendable (Values.Output) -> Int
) throws -> Int {
  let box = Totals()
  _ = values.sink(
    receiveCompletion: { if case .failure(let error) = $0 { box.failure.withLock { $0 = error } } },
    receiveValue: { box.bytes.add(bytes($0) + 1, ordering: .relaxed) })
  if let error = box.failure.withLock({ $0 }) { throw error }
  return box.bytes.load(ordering: .relaxed)
}

/// The storage for the results of a pipeline's closures.
final class Totals: Sendable {
  let bytes = Atomic<Int>(0)
  let failure = Mutex<(any Error)?>(nil)
}

/// Splits chunks into lines with the standard library.
///
/// Each chunk's text is appended to the rest of the previous one and then split.
func forEachLine(of chunks: [Data], _ body: (Substring) -> Void) {
  var rest = ""
  for chunk in chunks {
    rest += String(decoding: chunk, as: UTF8.self)
    var lines = rest.split(separator: "\n", omittingEmptySubsequences: false)
    let last = lines.removeLast()
    for line in lines { body(line) }
    rest = String(last)
  }
}
