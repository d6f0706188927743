import Streams
import StreamsFixtures

extension DiagramCodes {
  /// The operators of which each spelling is for sources and children that can fail or cannot.
  func addNesting() throws {
    try addNesting(numbers(), letters("child"))
    try addNestingOfSafe(numbers(), safeLetters("child"))
    try addNestingInSafe(safeNumbers(), letters("child"))
    try addNestingOfSafeInSafe(safeNumbers(), safeLetters("child"))
    try addExpand(safeNumbers())
  }

  private func addNesting(
    _ source: DiagramSource<Int, TestError>, _ child: DiagramSource<String, TestError>
  ) throws {
    try code("flatMap") { source.flatMap { _ in child } }
    try code("flatMapFirst") { source.flatMapFirst { _ in child } }
    try code("flatMapLatest") { source.flatMapLatest { _ in child } }
    try code("switchToLatest") { source.map { _ in child }.switchToLatest() }
  }

  private func addNestingOfSafe(
    _ source: DiagramSource<Int, TestError>, _ child: DiagramSource<String, Never>
  ) throws {
    try code("flatMap") { source.flatMap { _ in child } }
    try code("flatMapFirst") { source.flatMapFirst { _ in child } }
    try code("flatMapLatest") { source.flatMapLatest { _ in child } }
    try code("switchToLatest") { source.map { _ in child }.switchToLatest() }
  }

  private func addNestingInSafe(
    _ source: DiagramSource<Int, Never>, _ child: DiagramSource<String, TestError>
  ) throws {
    try code("flatMap") { source.flatMap { _ in child } }
    try code("flatMapFirst") { source.flatMapFirst { _ in child } }
    try code("flatMapLatest") { source.flatMapLatest { _ in child } }
    try code("switchToLatest") { source.map { _ in child }.switchToLatest() }
  }

  private func addNestingOfSafeInSafe(
    _ source: DiagramSource<Int, Never>, _ child: DiagramSource<String, Never>
  ) throws {
    try code("flatMap") { source.flatMap { _ in child } }
    try code("flatMapFirst") { source.flatMapFirst { _ in child } }
    try code("flatMapLatest") { source.flatMapLatest { _ in child } }
    try code("switchToLatest") { source.map { _ in child }.switchToLatest() }
  }

  private func addExpand(_ source: DiagramSource<Int, Never>) throws {
    try code("expand") { source.expand { Publishers.Sequence([$0 * 2]).filter { $0 < 5 } } }
  }
}
