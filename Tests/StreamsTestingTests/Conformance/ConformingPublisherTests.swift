import Dispatch
import Streams
import StreamsTesting
import Testing

@Suite("The conformance kit accepts correct publishers", .leakFree)
struct ConformingPublisherTests {
  @Test("A sequence and a single value keep the contract")
  func sources() async throws {
    let sequence = try await PublisherConformance { $0.values.publisher }.check()
    #expect(sequence.kept.contains(.demand))
    try await PublisherConformance { _ in Just(1) }.check()
  }

  @Test("A publisher whose values take a while keeps the contract")
  func late() async throws {
    try await PublisherConformance(traits: ConformanceTraits(isAsynchronous: true)) { rig in
      rig.values.publisher
        .delay(for: .milliseconds(20), scheduler: DispatchQueue(label: "late"))
    }.check()
  }

  @Test("map and prefix keep the contract")
  func operators() async throws {
    try await OperatorConformance(traits: ConformanceTraits(memory: .none)) {
      upstream, rig in
      upstream.map { value in
        rig.touch()
        return value + 1
      }
    }.check()
    try await OperatorConformance { upstream, rig in
      upstream.prefix { value in
        rig.touch()
        return value < 4
      }
    }
    .skipping(.promptEnd, because: "the first value that is not let through ends it")
    .check()
  }
}

@Suite("The conformance kit accepts correct hops and subjects", .leakFree)
struct ConformingHopTests {
  @Test("receive(on:), delay(for:scheduler:) and all subjects keep the contract")
  func sources() async throws {
    try await HopConformance { $0.receive(on: $1) }.check()
    try await HopConformance { $0.delay(for: .seconds(1), scheduler: $1) }.check()
    try await SubjectConformance { PassthroughSubject<Int, ConformanceError>() }.check()
    try await SubjectConformance { CurrentValueSubject<Int, ConformanceError>(0) }.check()
    try await SubjectConformance { ReplaySubject<Int, ConformanceError>(bufferSize: 2) }.check()
  }
}
