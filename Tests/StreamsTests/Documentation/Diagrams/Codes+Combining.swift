import Streams

extension DiagramCodes {
  func addCombining() throws {
    let source = numbers()
    let other = numbers("other")
    let (b, c, d) = (numbers("b"), numbers("c"), numbers("d"))
    try code("Operators/CombineLatest") { source.combineLatest(other) }
    try code("Operators/CombineLatest") { source.combineLatest(other, +) }
    try code("Operators/CombineLatest3") { source.combineLatest(b, c) }
    try code("Operators/CombineLatest3") { source.combineLatest(b, c) { $0 + $1 + $2 } }
    try code("Operators/CombineLatest4") { source.combineLatest(b, c, d) }
    try code("Operators/CombineLatest4") { source.combineLatest(b, c, d) { $0 + $1 + $2 + $3 } }
    try code("Operators/Zip") { source.zip(other) }
    try code("Operators/Zip") { source.zip(other, +) }
    try code("Operators/Zip3") { source.zip(b, c) }
    try code("Operators/Zip3") { source.zip(b, c) { $0 + $1 + $2 } }
    try code("Operators/Zip4") { source.zip(b, c, d) }
    try code("Operators/Zip4") { source.zip(b, c, d) { $0 + $1 + $2 + $3 } }
    try code("Operators/WithLatestFrom") { source.withLatestFrom(other, +) }
    try addCombiningWithLetters()
    try addJoining()
  }

  private func addCombiningWithLetters() throws {
    let source = numbers()
    let other = letters("other")
    try code("Operators/WithLatestFrom") { source.withLatestFrom(other) }
  }

  private func addJoining() throws {
    let source = numbers()
    let next = numbers("next")
    let previous = numbers("previous")
    try code("Operators/Append") { source.append(8, 9) }
    try code("Operators/Append") { source.append([8, 9]) }
    try code("Operators/Append") { source.append(next) }
    try code("Operators/Prepend") { source.prepend(8, 9) }
    try code("Operators/Prepend") { source.prepend([8, 9]) }
    try code("Operators/Prepend") { source.prepend(previous) }
  }
}
