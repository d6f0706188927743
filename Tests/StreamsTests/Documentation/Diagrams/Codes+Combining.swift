import Streams

extension DiagramCodes {
  func addCombining() throws {
    let source = numbers()
    let other = numbers("other")
    let (b, c, d) = (numbers("b"), numbers("c"), numbers("d"))
    try code("combineLatest") { source.combineLatest(other) }
    try code("combineLatest") { source.combineLatest(other, +) }
    try code("combineLatest") { source.combineLatest(b, c) }
    try code("combineLatest") { source.combineLatest(b, c) { $0 + $1 + $2 } }
    try code("combineLatest") { source.combineLatest(b, c, d) }
    try code("combineLatest") { source.combineLatest(b, c, d) { $0 + $1 + $2 + $3 } }
    try code("zip") { source.zip(other) }
    try code("zip") { source.zip(other, +) }
    try code("zip") { source.zip(b, c) }
    try code("zip") { source.zip(b, c) { $0 + $1 + $2 } }
    try code("zip") { source.zip(b, c, d) }
    try code("zip") { source.zip(b, c, d) { $0 + $1 + $2 + $3 } }
    try code("withLatestFrom") { source.withLatestFrom(other, +) }
    try addCombiningWithLetters()
    try addJoining()
  }

  private func addCombiningWithLetters() throws {
    let source = numbers()
    let other = letters("other")
    try code("withLatestFrom") { source.withLatestFrom(other) }
  }

  private func addJoining() throws {
    let source = numbers()
    let next = numbers("next")
    let previous = numbers("previous")
    try code("append") { source.append(8, 9) }
    try code("append") { source.append([8, 9]) }
    try code("append") { source.append(next) }
    try code("prepend") { source.prepend(8, 9) }
    try code("prepend") { source.prepend([8, 9]) }
    try code("prepend") { source.prepend(previous) }
  }
}
