import Streams

extension DiagramCodes {
  func addSelecting() throws {
    let source = numbers()
    try code("Operators/Filter") { source.filter { $0 != 2 } }
    try code("Operators/TryFilter") {
      source.tryFilter {
        if $0 == 4 { throw Refused() }
        return $0 != 2
      }
    }
    try code("Operators/DropFirst") { source.dropFirst(2) }
    try code("Operators/DropWhile") { source.drop { $0 < 3 } }
    try code("Operators/DropWhile") {
      source.tryDrop {
        if $0 == 2 { throw Refused() }
        return true
      }
    }
    try code("Operators/First") { source.first() }
    try code("Operators/FirstWhere") { source.first { $0 > 1 } }
    try code("Operators/FirstWhere") {
      source.tryFirst {
        if $0 == 2 { throw Refused() }
        return $0 > 2
      }
    }
    try code("Operators/Output") { source.output(at: 1) }
    try code("Operators/Output") { source.output(in: 1...2) }
    try code("Operators/Prefix") { source.prefix(2) }
    try code("Operators/PrefixWhile") { source.prefix { $0 < 3 } }
    try code("Operators/PrefixWhile") {
      source.tryPrefix {
        if $0 == 3 { throw Refused() }
        return true
      }
    }
    try code("Operators/RemoveDuplicates") { source.removeDuplicates() }
    try code("Operators/RemoveDuplicates") { source.removeDuplicates { $0 % 2 == $1 % 2 } }
    try code("Operators/RemoveDuplicates") {
      source.tryRemoveDuplicates {
        if $1 == 3 { throw Refused() }
        return $0 == $1
      }
    }
    try code("Operators/ReplaceEmpty") { source.replaceEmpty(with: 1) }
    let other = letters("other")
    try code("Operators/DropUntilOutput") { source.drop(untilOutputFrom: other) }
    try code("Operators/PrefixUntilOutput") { source.prefix(untilOutputFrom: other) }
  }
}
