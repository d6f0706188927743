import Streams

extension DiagramCodes {
  /// The operators whose diagrams show demand.
  func addDemand() throws {
    let source = numbers()
    let other = numbers("other")
    let next = numbers("next")
    try code("append") { source.append(next) }
    try code("collect") { source.collect(2) }
    try code("combineLatest") { source.combineLatest(other) }
    try code("filter") { source.filter { $0 != 2 } }
    try code("merge") { source.merge(with: other) }
    try code("share") { source.share() }
    try code("zip") { source.zip(other) }
    try addDemandOfChildren()
    try addDemandInTime()
  }

  private func addDemandOfChildren() throws {
    let source = numbers()
    let child = letters("child")
    try code("flatMap") { source.flatMap(maxPublishers: .max(1)) { _ in child } }
    try code("switchToLatest") { source.map { _ in child }.switchToLatest() }
  }

  private func addDemandInTime() throws {
    let source = letters()
    let scheduler = scheduler
    try code("asyncMap", isTask: true) { source.asyncMap(maxConcurrent: 2) { $0 } }
    try code("debounce") {
      source.debounce(for: .milliseconds(30), scheduler: scheduler)
    }
    try code("receive") { source.receive(on: scheduler) }
  }
}
