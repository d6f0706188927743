// Measures the stubbed calls a second through a whole client, and the time of 1,000 concurrent
// scenarios.
//
// swift run -c release --package-path Benchmarks stub-benchmark
import CAllocations
import Foundation
import Measuring
import RESTKit
import RESTKitTesting
import Streams

/// The number of calls on one transport, whose journal keeps them all.
let batch = 1_000

/// A counter of the values that the measuring thread gets.
///
/// `@unchecked` is correct: stubs respond on the thread that subscribes, and a lock would be
/// measured.
final class Count: @unchecked Sendable {
  var values = 0
}

func subscribe(_ publisher: AnyPublisher<Order, any Error>, _ count: Count) {
  _ = publisher.sink(
    receiveCompletion: { _ in }, receiveValue: { count.values += $0.id == 7 ? 1 : 0 })
}

func order(over transport: any Transport) -> AnyPublisher<Order, any Error> {
  ShopAPI(transport: transport).get(endpoint: "orders/7").decode(type: Order.self)
    .eraseToAnyPublisher()
}

func always() -> StubTransport {
  StubTransport(
    StubAPIResponse(request: .init(.get, urlString: orderURL), result: .json(orderText)).always())
}

func matching() -> StubTransport {
  StubTransport(
    StubAPIResponse(request: StubRequest(.delete, path: "/v1/**")).optional(),
    StubAPIResponse(
      request: StubRequest(.get, host: "shop.example.com", path: "/v1/orders/*"),
      result: .json(orderText)
    ).always())
}

/// Returns the processor time that this process has used, in seconds.
func processorTime() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

/// Returns the median of the times that a clock measures for some work, in seconds.
func median(
  _ rounds: Int, by clock: () -> Double, _ work: () async throws -> Void
) async rethrows -> Double {
  var times: [Double] = []
  for _ in 0..<rounds {
    let begin = clock()
    try await work()
    times.append(clock() - begin)
  }
  return times.sorted()[rounds / 2]
}

func callRow(
  _ title: String, goal: Double? = nil, _ transport: @escaping () -> any Transport
) async throws -> String {
  let count = Count()
  let time = await median(21, by: processorTime) {
    let publisher = order(over: transport())
    for _ in 0..<batch { subscribe(publisher, count) }
  }
  guard count.values == 21 * batch else { throw Unsound("\(title): \(count.values) values") }
  let publisher = order(over: transport())
  allocations_start()
  for _ in 0..<batch { subscribe(publisher, count) }
  let allocations = allocations_stop() / batch
  let perSecond = Double(batch) / time
  say("\(title): \(Int(perSecond)) calls/s")
  return markdownRow([
    title, "\(grouped(perSecond))/s", "\((1e6 / perSecond).significant) µs",
    allocations_countable() ? "\(allocations)" : "n/a",
    goal.map { "≥ \(grouped($0))/s" } ?? "", goal.map { met([("", perSecond >= $0)]) } ?? "",
  ])
}

func awaitedRow() async throws -> String {
  var sum = 0
  let time = try await median(21, by: processorTime) {
    let publisher = order(over: always())
    for _ in 0..<batch { sum += try await publisher.value.id }
  }
  guard sum == 21 * 7 * batch else { throw Unsound("awaited: a sum of \(sum)") }
  let perSecond = Double(batch) / time
  return markdownRow([
    "the same, with `try await … .value`", "\(grouped(perSecond))/s",
    "\((1e6 / perSecond).significant) µs", "", "", "",
  ])
}

func scenariosRow() async throws -> String {
  let begin = ContinuousClock.now
  let seconds = try await median(11, by: { (ContinuousClock.now - begin) / .seconds(1) }) {
    try await withThrowingTaskGroup { group in
      for number in 0..<1_000 { group.addTask { try await playScenario(number: number) } }
      try await group.waitForAll()
    }
  }
  return markdownRow([
    "1,000 scenarios side by side, 3 calls and their own stubs each",
    "\(grouped(3_000 / seconds))/s", "\((seconds * 1e3).significant) ms in all", "", "< 2 s",
    met([("", seconds < 2)]),
  ])
}

func grouped(_ number: Double) -> String {
  let digits = String(Int(number.rounded()))
  return digits.enumerated().reduce(into: "") { text, digit in
    if digit.offset > 0, (digits.count - digit.offset).isMultiple(of: 3) { text += "," }
    text.append(digit.element)
  }
}

func table() async throws -> [String] {
  guard SelfTest.countsAllocations() else { throw Unsound("the counter misses allocations") }
  let goal = 100_000.0
  return [
    markdownRow(["`api.get(…).decode(…)`", "calls", "processor time", "allocations", "goal", "met"]
    ),
    markdownRow(["---", "--:", "--:", "--:", "---", "---"]),
    try await callRow("over a transport without stubs that has the response") { ReadyTransport() },
    try await callRow("over a stub with a URL", goal: goal) { always() },
    try await callRow("over the second of two stubs, by host and a pattern of paths") {
      matching()
    },
    try await awaitedRow(),
    try await scenariosRow(),
  ]
}

await TableBenchmark.run("stub-benchmark", makeTable: table)
