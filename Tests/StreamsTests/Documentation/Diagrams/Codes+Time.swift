import Streams

extension DiagramCodes {
  func addTime() throws {
    let source = letters()
    let scheduler = scheduler
    try code("buffer") {
      source.buffer(size: 2, prefetch: .byRequest, whenFull: .dropOldest)
    }
    try code("collect") {
      source.collect(.byTime(scheduler, .milliseconds(50)))
    }
    try code("debounce") {
      source.debounce(for: .milliseconds(30), scheduler: scheduler)
    }
    try code("delay") { source.delay(for: .milliseconds(20), scheduler: scheduler) }
    try code("measureInterval") {
      source.measureInterval(using: scheduler).map { $0 == .milliseconds(10) ? "s" : "l" }
    }
    try code("receive") { source.receive(on: scheduler) }
    try code("subscribe") { source.subscribe(on: scheduler) }
    try code("throttle") {
      source.throttle(for: .milliseconds(50), scheduler: scheduler, latest: true)
    }
    try code("timeout") {
      source.timeout(.milliseconds(40), scheduler: scheduler)
    }
  }
}
