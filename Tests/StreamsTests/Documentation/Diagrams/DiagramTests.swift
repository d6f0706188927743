import Foundation
import StreamsFixtures
import StreamsTesting
import Testing

@Suite("The diagrams in doc comments are true", .leakFree)
struct DiagramTests {
  @Test("The code of each diagram runs as the diagram shows, in each spelling")
  func truth() async throws {
    let drawn = try DiagramBlock.all()
    var blocks = drawn
    var left = drawn
    for code in try DiagramCodes().codes {
      if let index = left.firstIndex(where: { DiagramRun.belongs(code, to: $0) }) {
        left.remove(at: index)
      } else if let model = drawn.first(where: { DiagramRun.belongs(code, to: $0) }) {
        blocks.append(model)
      }
    }
    #expect(blocks.count >= 140)
    let faults = await DiagramRun.all(of: blocks).compactMap(\.fault)
    #expect(faults.isEmpty, "\(faults.joined(separator: "\n\n"))")
  }

  @Test("Each code sample has its diagram")
  func need() throws {
    let blocks = try DiagramBlock.all()
    for code in try DiagramCodes().codes {
      let isDrawn = blocks.contains { DiagramRun.belongs(code, to: $0) }
      #expect(isDrawn, "no diagram for \(code.name): \(code.text)")
    }
  }

  @Test(
    "A wrong diagram is reported with the operator's name",
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
  func fault(part: String, replacement: String, report: String) async throws {
    let block = try #require(try DiagramBlock.all().first { $0.name == "map" })
    #expect(await DiagramRun.all(of: [block]).compactMap(\.fault).isEmpty)
    #expect(block.text.contains(part))
    let faults = await faults(of: block, with: part, replacedBy: replacement)
    #expect(faults.count == 1)
    #expect(
      faults.first?.hasPrefix("map (Sources/Streams/Operators/Map.swift, line \(block.line)): ")
        == true)
    #expect(faults.first?.contains(report) == true, "\(faults)")
  }

  @Test("The signals of a second subscriber are compared with its line")
  func late() async throws {
    let block = try #require(try DiagramBlock.all().first { $0.name == "share" })
    let line = "late result:     -----2--3--|"
    #expect(block.text.contains(line))
    #expect(await faults(of: block, with: "", replacedBy: "").isEmpty)
    let wrong = await faults(of: block, with: line, replacedBy: "late result: --------3--|")
    #expect(wrong.first?.contains("not [\"-----2--3--|\"]") == true, "\(wrong)")
    let missing = await faults(of: block, with: line, replacedBy: "")
    #expect(missing.first?.contains("no line late result:") == true, "\(missing)")
  }

  @Test("A legend's description of a source matches the code")
  func legend() async throws {
    let block = try #require(try DiagramBlock.all().first { $0.text.contains("xyz") })
    let faults = await faults(of: block, with: "xyz", replacedBy: "uvw")
    #expect(faults.first?.contains("b is \"xyz\" in the code, not \"uvw\"") == true, "\(faults)")
  }

  private func faults(
    of block: DiagramBlock, with part: String, replacedBy replacement: String
  ) async -> [String] {
    var block = block
    block.text = block.text.replacingOccurrences(of: part, with: replacement)
    return await DiagramRun.all(of: [block]).compactMap(\.fault)
  }
}
