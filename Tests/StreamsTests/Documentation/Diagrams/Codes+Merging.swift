import Streams

extension DiagramCodes {
  func addMerging() throws {
    let source = numbers()
    let other = numbers("other")
    let (a, b, c, d) = (numbers("a"), numbers("b"), numbers("c"), numbers("d"))
    let (e, f, g, h) = (numbers("e"), numbers("f"), numbers("g"), numbers("h"))
    try code("merge") { source.merge(with: other) }
    try code("merge") { source.merge(with: b, c) }
    try code("merge") { source.merge(with: b, c, d) }
    try code("merge") { source.merge(with: b, c, d, e) }
    try code("merge") { source.merge(with: b, c, d, e, f) }
    try code("merge") { source.merge(with: b, c, d, e, f, g) }
    try code("merge") { source.merge(with: b, c, d, e, f, g, h) }
    try code("merged") { [a, b].merged() }
    try code("concatenated") { [a, b].concatenated() }
    try code("race") { a.race(with: b) }
    try code("raced") { [a, b].raced() }
  }
}
