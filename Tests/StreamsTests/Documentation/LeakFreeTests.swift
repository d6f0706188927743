import Foundation
import StreamsFixtures
import Testing

@Suite("Every test counts the subscriptions that it leaves behind", .leakFree)
struct LeakFreeTests {
  @Test(
    "C-7: each suite has the trait",
    arguments: [("StreamsTests", 60), ("StreamsContractTests", 20), ("StreamsTestingTests", 1)])
  func suites(target: String, least: Int) throws {
    var suites = 0
    for file in try StreamsSources.tree(of: "Tests/\(target)") {
      let text = try StreamsSources.text(of: file)
      let lines = text.split(separator: "\n")
      for (index, line) in lines.enumerated() where line.hasPrefix("@Suite(") {
        suites += 1
        let head = lines[index..<min(index + 4, lines.count)].prefix { !$0.contains("{") }
        #expect(head.contains { $0.contains(".leakFree") }, "\(file): \(line)")
      }
      if text.contains("  @Test") {
        #expect(text.contains("\n@Suite("), "\(file) has tests that belong to no suite")
      }
    }
    #expect(suites > least)
  }

  /// Classes that do not belong to one subscription, or live as long as somebody outside wants.
  private static let unmarked: Set<String> = [
    "AnyCancellable", "Autoconnect", "Counter", "CurrentValueSubject", "Entry", "Future",
    "LeakCounter", "Multicast", "PassthroughSubject", "QueueTimer", "ReplaySubject",
    "ScheduledAction", "SharedRuns", "SingleFlight", "SubjectCore", "TimerQueue",
    "ViolationObservers",
  ]

  @Test("Each class of Streams that belongs to a subscription is counted by its own name")
  func classes() throws {
    var marked = 0
    for file in try StreamsSources.tree(of: "Sources/Streams") {
      let text = try StreamsSources.text(of: file)
      let names = text.matches(of: /(?m)^[a-zA-Z@ ]*final class (\w+)/).map { String($0.1) }
      let needed = names.filter { !Self.unmarked.contains($0) }
      let marks = text.matches(of: /LeakMark\("(\w+)/).map { String($0.1) }
      #expect(marks.count == needed.count, "\(file): \(needed)")
      for (name, mark) in zip(needed, marks) {
        // A nested class may say its outer type, too: `Sink.Inner` is a sink.
        #expect(isName(mark, of: name, in: file), "\(file): \(name) is counted as \(mark)")
      }
      marked += needed.count
    }
    #expect(marked > 20)
  }

  private func isName(_ mark: String, of name: String, in file: String) -> Bool {
    let mark = mark.lowercased()
    let stem = file.split(separator: "/").last.map { $0.dropLast(6).lowercased() } ?? ""
    return mark.hasSuffix(name.lowercased()) || name.lowercased().hasSuffix(mark) || mark == stem
  }
}
