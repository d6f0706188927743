import Foundation
import StreamsTesting
import Testing

@Suite("The diagrams in doc comments are true", .leakFree)
struct DiagramTests {
  @Test("Each diagram has its code, which runs as the diagram says")
  func truth() async throws {
    let blocks = try DiagramBlock.all()
    #expect(blocks.count >= 140)
    let faults = await onThread { Self.faults(of: blocks) }
    #expect(faults.isEmpty, "\(faults.joined(separator: "\n\n"))")
  }

  @Test("Each code has its diagram")
  func need() throws {
    var blocks = try DiagramBlock.all()
    for code in try DiagramCodes().codes {
      let index = blocks.firstIndex { Self.belongs(code, to: $0) }
      if let index { blocks.remove(at: index) }
      #expect(index != nil, "no diagram for \(code.name): \(code.text)")
    }
  }

  @Test(
    "What is wrong with a diagram is told, with the operator's name",
    arguments: [
      ("source: --1--2--3--|", "source: --1--2--3)-|", "column 18"),
      ("source: --1--2--3--|", "source: --1--x--3--|", "no value for x"),
      ("source: --1--2--3--|", "origin: --1--2--3--|", "knows no origin"),
      ("map { $0 * 2 }", "map { $0 * 3 }", "no code"),
      ("result: --2--4--6--|", "result: --2--4--5--|", "actual:   --2--4--6--|"),
      ("result: --2--4--6--|", "", "no line result:"),
      ("result: ", "source subscribed: -^\nresult: ", "actual:   ^"),
      ("result: ", "demand: 1\nresult: ", "actual:   --2"),
    ])
  func fault(part: String, replacement: String, report: String) throws {
    let block = try #require(try DiagramBlock.all().first { $0.name == "map" })
    #expect(Self.faults(of: [block]).isEmpty)
    #expect(block.text.contains(part))
    let faults = Self.faults(of: [
      DiagramBlock(
        path: block.path, line: block.line, name: block.name,
        text: block.text.replacingOccurrences(of: part, with: replacement))
    ])
    #expect(faults.count == 1)
    #expect(
      faults.first?.hasPrefix("map (Sources/Streams/Operators/Map.swift, line \(block.line)): ")
        == true)
    #expect(faults.first?.contains(report) == true, "\(faults)")
  }

  @Test("What a legend says of a source is what the code sends")
  func legend() throws {
    let block = try #require(try DiagramBlock.all().first { $0.text.contains("xyz") })
    let faults = Self.faults(of: [
      DiagramBlock(
        path: block.path, line: block.line, name: block.name,
        text: block.text.replacingOccurrences(of: "xyz", with: "uvw"))
    ])
    #expect(faults.first?.contains("b is \"xyz\" in the code, not \"uvw\"") == true, "\(faults)")
  }

  private static func belongs(_ code: DiagramCodes.Code, to block: DiagramBlock) -> Bool {
    guard code.name == block.name, let chart = try? MarbleChart(block.text) else { return false }
    return DiagramCodes.isSame(chart.call, code.text)
  }

  /// What is wrong with diagrams; each takes one code of its name and call, in their order.
  private static func faults(of blocks: [DiagramBlock]) -> [String] {
    var used: Set<Int> = []
    var codes = try? DiagramCodes()
    return blocks.compactMap { block in
      do {
        let current = try codes ?? DiagramCodes()
        codes = nil
        let chart = try MarbleChart(block.text)
        let index = current.codes.indices.first {
          !used.contains($0) && belongs(current.codes[$0], to: block)
        }
        guard let index else { return "\(block.title): no code for \(chart.call)" }
        used.insert(index)
        try current.run(index, with: chart)
        // What a fault may leave behind is not taken along.
        codes = current
        return nil
      } catch {
        return "\(block.title): \(error)"
      }
    }
  }

  /// Runs what may block away from the threads of tasks.
  private func onThread<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result
  {
    let live = LiveSubscriptions.current
    return await withCheckedContinuation { continuation in
      Thread { continuation.resume(returning: live?.resume(body) ?? body()) }.start()
    }
  }
}
