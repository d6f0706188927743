import Streams
import StreamsCombine
import StreamsTesting
import Testing

@Suite("The conformance kit, over Combine")
struct ConformanceTests {
  @Test("A round trip through Combine keeps the contract")
  func roundTrip() async throws {
    try await OperatorConformance("round trip") { upstream, _ in
      upstream.combinePublisher.streamsPublisher
    }.check()
  }

  @Test("A round trip through an operator of Combine keeps the contract")
  func roundTripThroughOperator() async throws {
    try await OperatorConformance("map of Combine") { upstream, rig in
      upstream.combinePublisher.map { value in
        rig.touch()
        return value
      }.streamsPublisher
    }
    .skipping(.passedContext, because: "Combine's operators pass no context on")
    .check()
  }

  @Test("A Combine publisher bridged to Streams keeps the contract")
  func wayBack() async throws {
    try await PublisherConformance("sequence of Combine") { rig in
      combineNumbers(upTo: rig.count).streamsPublisher
    }.check()
  }

  @Test("Two round trips and operators of both keep the contract")
  func twice() async throws {
    try await OperatorConformance("two round trips") { upstream, rig in
      upstream.combinePublisher.streamsPublisher
        .map { value in
          rig.touch()
          return value
        }
        .combinePublisher.streamsPublisher
    }.check()
  }

  @Test("A hop on a scheduler that passed through Combine keeps the contract")
  func scheduler() async throws {
    try await HopConformance("receive(on:)") { upstream, scheduler in
      upstream.receive(on: throughCombine(scheduler))
    }.check()
  }
}

private func throughCombine(_ scheduler: some Streams.Scheduler) -> StreamsScheduler<
  CombineScheduler
> {
  scheduler.combineScheduler.streamsScheduler
}
