import StreamsFixtures
import Testing

@Suite("Each operator documents its promises", .leakFree)
struct OperatorDocumentationTests {
  @Test("The doc comment of each operator has its six sections and a diagram")
  func completeness() throws {
    for file in try StreamsSources.files(in: "Sources/Streams/Operators") {
      let faults = try DocumentedMethod.faults(in: StreamsSources.text(of: file))
      #expect(faults.isEmpty, "\(file): \(faults.joined(separator: "; "))")
    }
  }

  @Test("The test finds an operator in each file that should have one")
  func coverage() throws {
    let empty = try StreamsSources.files(in: "Sources/Streams/Operators").filter {
      try DocumentedMethod.all(in: StreamsSources.text(of: $0)).isEmpty
    }
    #expect(empty.isEmpty)
  }

  @Test("A missing section is reported", arguments: DocumentedMethod.sections)
  func missedSection(section: String) throws {
    let source = try StreamsSources.text(of: "Sources/Streams/Operators/Scan.swift")
    let faults = DocumentedMethod.faults(in: without("- \(section):", in: source))
    #expect(faults.count == 1)
    #expect(faults.first?.hasSuffix("no \(section)") == true)
  }

  @Test("A missing diagram is reported, also for the spellings that refer to it")
  func missedMarble() throws {
    let scan = try StreamsSources.text(of: "Sources/Streams/Operators/Scan.swift")
    let tryMap = try StreamsSources.text(of: "Sources/Streams/Operators/TryMap.swift")
    #expect(DocumentedMethod.faults(in: without("```marble", in: scan)).count == 1)
    #expect(DocumentedMethod.faults(in: without("result:", in: scan)).count == 1)
    #expect(DocumentedMethod.faults(in: without("```marble", in: tryMap)).count == 3)
  }

  @Test("A method without a doc comment lacks every section")
  func undocumented() {
    let source = """
      extension Publisher where Output == Int {
        /// A comment of something else.
        let other = 1

        @inlinable
        public func twice() -> Publishers.Twice<Self> {
          Publishers.Twice(upstream: self)
        }
      }

      extension Publishers {
        public func none() {}
      }
      """
    #expect(DocumentedMethod.all(in: source).map(\.name) == ["twice"])
    #expect(DocumentedMethod.faults(in: source).count == DocumentedMethod.sections.count + 1)
  }

  private func without(_ start: String, in source: String) -> String {
    source.split(separator: "\n", omittingEmptySubsequences: false)
      .filter { !$0.drop { "/ ".contains($0) }.hasPrefix(start) }
      .joined(separator: "\n")
  }
}
