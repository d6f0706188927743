import Streams

extension DiagramCodes {
  func addMerging() throws {
    let source = numbers()
    let other = numbers("other")
    let (a, b, c, d) = (numbers("a"), numbers("b"), numbers("c"), numbers("d"))
    let (e, f, g, h) = (numbers("e"), numbers("f"), numbers("g"), numbers("h"))
    try code("Operators/Merge") { source.merge(with: other) }
    try code("Operators/Merge3") { source.merge(with: b, c) }
    try code("Operators/Merge4") { source.merge(with: b, c, d) }
    try code("Operators/Merge5") { source.merge(with: b, c, d, e) }
    try code("Operators/Merge6") { source.merge(with: b, c, d, e, f) }
    try code("Operators/Merge7") { source.merge(with: b, c, d, e, f, g) }
    try code("Operators/Merge8") { source.merge(with: b, c, d, e, f, g, h) }
    try code("Operators/MergeMany") { [a, b].merged() }
    try code("Operators/Concat") { [a, b].concatenated() }
    try code("Operators/Race") { a.race(with: b) }
    try code("Operators/RaceMany") { [a, b].raced() }
  }
}
