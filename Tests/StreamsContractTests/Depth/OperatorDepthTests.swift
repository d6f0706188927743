import Streams
import StreamsFixtures
import StreamsTesting
import Testing

@Suite("C-5: very many values on the stack of a secondary thread", .leakFree)
struct OperatorDepthTests {
  @Test(
    "C-5: each operator passes very many values, requested all at once or one by one",
    arguments: DepthCase.all)
  func values(case: DepthCase) {
    // Subjects drop values without demand, so a request from inside a value comes too late.
    let drops = !`case`.operators.isDisjoint(with: ["share", "multicast", "makeConnectable"])
    for asksForAll in drops ? [true] : [true, false] {
      let ends = Tally()
      let deepest = Depth()
      #expect(
        runsOnSmallStack(within: 120) {
          let scheduler = TestScheduler()
          let source = (0..<manyTimes).publisher.setFailureType(to: TestError.self).any
          let keeper = SubscriptionKeeper()
          `case`.make(source, scheduler).subscribe(
            AnySubscriber(
              receiveSubscription: { subscription in
                keeper.keep(subscription)
                subscription.request(asksForAll ? .unlimited : .max(1))
              },
              receiveValue: { _ in
                deepest.enter()
                if !asksForAll { keeper.subscription?.request(.max(1)) }
                deepest.leave()
                return .none
              }, receiveCompletion: { _ in ends.add() }))
          scheduler.run(limit: .max)
        })
      #expect(ends.count == 1, "asks for all: \(asksForAll)")
      #expect(deepest.count <= 1, "RS 3.3: values do not nest")
    }
  }

  @Test("C-5: the table lists every operator")
  func coverage() throws {
    let waits: Set<String> = Set(WaitDepthTests.Wait.allCases.flatMap(\.operators))
    let covered = DepthCase.all.reduce(into: waits) { $0.formUnion($1.operators) }
    for folder in ["Concurrency", "Core", "Operators", "Publishers", "Subscribers"] {
      for file in try StreamsSources.files(in: "Sources/Streams/\(folder)") {
        for method in try DocumentedMethod.all(in: StreamsSources.text(of: file)) {
          #expect(covered.contains(method.name), "\(method.name) in \(file)")
        }
      }
    }
    #expect(covered.count > 80)
  }
}
