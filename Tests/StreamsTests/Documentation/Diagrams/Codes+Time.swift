import Streams

extension DiagramCodes {
  func addTime() throws {
    let source = letters()
    let scheduler = scheduler
    try code("Operators/Buffer") {
      source.buffer(size: 2, prefetch: .byRequest, whenFull: .dropOldest)
    }
    try code("Operators/CollectByTime") {
      source.collect(.byTime(scheduler, .milliseconds(50)))
    }
    try code("Operators/Debounce") {
      source.debounce(for: .milliseconds(30), scheduler: scheduler)
    }
    try code("Operators/Delay") { source.delay(for: .milliseconds(20), scheduler: scheduler) }
    try code("Operators/MeasureInterval") {
      source.measureInterval(using: scheduler).map { $0 == .milliseconds(10) ? "s" : "l" }
    }
    try code("Operators/ReceiveOn") { source.receive(on: scheduler) }
    try code("Operators/SubscribeOn") { source.subscribe(on: scheduler) }
    try code("Operators/Throttle") {
      source.throttle(for: .milliseconds(50), scheduler: scheduler, latest: true)
    }
    try code("Operators/Timeout") {
      source.timeout(.milliseconds(40), scheduler: scheduler)
    }
  }
}
