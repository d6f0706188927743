import Streams
import StreamsTesting
import Testing

// snippet: operator
nonisolated extension Publisher {
  /// Passes on the first of every two values.
  func everyOther(
    where isWanted: @escaping @Sendable (Output) -> Bool = { _ in true }
  ) -> AnyPublisher<Output, Failure> {
    scan((count: 0, latest: Output?.none)) { last, new in (last.count + 1, .some(new)) }
      .compactMap { $0.count.isMultiple(of: 2) ? nil : $0.latest }
      .filter(isWanted)
      .eraseToAnyPublisher()
  }
}
// end

@Suite("The example of Docs/Conformance.md", .leakFree)
struct ConformanceExamples {
  // snippet: test
  @Test("everyOther keeps the contract")
  func everyOther() async throws {
    try await OperatorConformance("everyOther") { upstream, rig in
      upstream.everyOther { _ in
        rig.touch()
        return true
      }
    }
    .skipping(.promptEnd, because: "another value may follow that it leaves out")
    .check()
  }

  @Test("A publisher and a subject of our own keep the contract")
  func sources() async throws {
    try await PublisherConformance { rig in Deferred { Publishers.Sequence(rig.values) } }.check()
    try await SubjectConformance { PassthroughSubject<Int, ConformanceError>() }.check()
    try await HopConformance { $0.receive(on: $1) }.check()
  }
  // end
}
