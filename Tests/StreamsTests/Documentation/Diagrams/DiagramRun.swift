import Foundation
import Streams
import StreamsTesting

/// A diagram, and the events of a run of its code.
struct DiagramRun: Sendable {
  let block: DiagramBlock
  let result: Result<MarblePicture.Panel, any Error>

  /// A description of the diagram's fault, or nil.
  var fault: String? {
    if case .failure(let error) = result { "\(block.title): \(error)" } else { nil }
  }

  /// Runs diagrams; each takes one code of its name and call, in their order.
  static func all(of blocks: [DiagramBlock]) async -> [DiagramRun] {
    await onThread {
      var used: Set<Int> = []
      var codes: DiagramCodes?
      return blocks.map { block in
        DiagramRun(block: block, result: Result { try run(block, &codes, &used) })
      }
    }
  }

  static func belongs(_ code: DiagramCodes.Code, to block: DiagramBlock) -> Bool {
    guard code.name == block.name, let chart = try? MarbleChart(block.text) else { return false }
    return DiagramCodes.isSame(chart.call, code.text)
  }

  private static func run(
    _ block: DiagramBlock, _ codes: inout DiagramCodes?, _ used: inout Set<Int>
  ) throws -> MarblePicture.Panel {
    let current = try codes ?? DiagramCodes()
    // After a fault, the next run starts with new codes.
    codes = nil
    let chart = try MarbleChart(block.text)
    let index = current.codes.indices.first {
      !used.contains($0) && belongs(current.codes[$0], to: block)
    }
    guard let index else { throw DiagramError(description: "no code for \(chart.call)") }
    used.insert(index)
    let panel = try current.run(index, with: chart)
    codes = current
    return panel
  }

  /// Runs work that may block on a thread outside the pool of tasks.
  private static func onThread<Value: Sendable>(
    _ body: @escaping @Sendable () -> Value
  ) async -> Value {
    let live = LiveSubscriptions.current
    return await withCheckedContinuation { continuation in
      Thread { continuation.resume(returning: live?.resume(body) ?? body()) }.start()
    }
  }
}
