import Streams

extension DiagramCodes {
  func addSelecting() throws {
    let source = numbers()
    try code("filter") { source.filter { $0 != 2 } }
    try code("tryFilter") {
      source.tryFilter {
        if $0 == 4 { throw Refused() }
        return $0 != 2
      }
    }
    try code("dropFirst") { source.dropFirst(2) }
    try code("drop") { source.drop { $0 < 3 } }
    try code("tryDrop") {
      source.tryDrop {
        if $0 == 2 { throw Refused() }
        return true
      }
    }
    try code("first") { source.first() }
    try code("first") { source.first { $0 > 1 } }
    try code("tryFirst") {
      source.tryFirst {
        if $0 == 2 { throw Refused() }
        return $0 > 2
      }
    }
    try code("output") { source.output(at: 1) }
    try code("output") { source.output(in: 1...2) }
    try code("prefix") { source.prefix(2) }
    try code("prefix") { source.prefix { $0 < 3 } }
    try code("tryPrefix") {
      source.tryPrefix {
        if $0 == 3 { throw Refused() }
        return true
      }
    }
    try code("removeDuplicates") { source.removeDuplicates() }
    try code("removeDuplicates") { source.removeDuplicates { $0 % 2 == $1 % 2 } }
    try code("tryRemoveDuplicates") {
      source.tryRemoveDuplicates {
        if $1 == 3 { throw Refused() }
        return $0 == $1
      }
    }
    try code("replaceEmpty") { source.replaceEmpty(with: 1) }
    let other = letters("other")
    try code("drop") { source.drop(untilOutputFrom: other) }
    try code("prefix") { source.prefix(untilOutputFrom: other) }
  }
}
