import StreamsFixtures
import StreamsTesting
import Testing

@Suite("A test of several operators covers every operator that it is meant for", .leakFree)
struct SetUpCoverageTests {
  private static let folders = ["Concurrency", "Operators"]

  /// Operators that pass on values and cannot be set up to change nothing.
  private static let changing: [String: String] = [
    "append": "a second publisher follows: AppendTests",
    "concatenated": "a second publisher follows: AppendTests",
    "context": "says something upstream: SubscriptionContextTests",
    "encode": "with decode, in its row",
    "expand": "the values of children come, too: ExpandTests",
    "first": "ends with a value: FirstTests",
    "flatMapFirst": "passes on what children send: FlatMapPitfallTests",
    "flatMapLatest": "passes on what children send: SwitchToLatestTests",
    "prepend": "another publisher goes first: AppendTests",
    "race": "of two publishers: RaceTests",
    "raced": "of several publishers: RaceTests",
    "switchToLatest": "passes on what children send: SwitchToLatestTests",
    "tryFirst": "ends with a value: FirstTests",
  ]

  /// Operators that take a scheduler and are not timed.
  private static let hopping: [String: String] = [
    "receive": "a hop: HopPitfallTests, and HopConformance"
  ]

  /// Operators whose closure may throw and that are not a ``TryForm``.
  private static let throwing: [String: String] = [
    "tryAsyncMap": "its closure is asynchronous: AsyncMapTests",
    "tryCatch": "its closure sees failures: CatchTests",
    "tryMap": "keeps its closure after the end: MapTests",
  ]

  @Test(
    "An operator that passes on demand and failures has a row that changes nothing",
    arguments: folders)
  func stages(folder: String) throws {
    for (name, file) in try operators(in: folder) where Self.changing[name] == nil {
      let rows = ConformanceEntry.all.filter { $0.name == name }
      guard
        rows.contains(where: { $0.traits.demand == .passedOn && $0.traits.failures == .passedOn })
      else { continue }
      #expect(
        rows.contains { $0.stage != nil || $0.timedStage != nil },
        "\(name) in \(file): add changingNothing or timed to its row in an …Entries.swift")
    }
  }

  @Test("An operator that folds all values into one has a row with a fold form", arguments: folders)
  func foldForms(folder: String) throws {
    let forms = Set(TryForm<TestError>.folding.map(\.name))
    for (name, file) in try operators(in: folder) where !forms.contains(name) {
      let rows = ConformanceEntry.all.filter { $0.name == name }
      guard !rows.isEmpty,
        rows.allSatisfy({ $0.traits.demand == .unlimited && !$0.traits.isLossy })
      else { continue }
      #expect(
        rows.contains { $0.foldForm != nil },
        "\(name) in \(file): add folding to its row in an …Entries.swift")
    }
  }

  @Test("An operator that takes a scheduler has a row with a timed stage", arguments: folders)
  func timedStages(folder: String) throws {
    for (name, file) in try operators(in: folder) where Self.hopping[name] == nil {
      guard try StreamsSources.text(of: file).contains("any Scheduler") else { continue }
      #expect(
        ConformanceEntry.all.contains { $0.name == name && $0.timedStage != nil },
        "\(name) in \(file): add timed to its row in an …Entries.swift")
    }
  }

  @Test("An operator whose closure may throw has a try-form", arguments: folders)
  func tryForms(folder: String) throws {
    let forms = Set(TryForm<TestError>.all.map(\.name))
    for (name, file) in try operators(in: folder) where name.hasPrefix("try") {
      #expect(
        forms.contains(name) || Self.throwing[name] != nil,
        "\(name) in \(file): add it to TryForm+….swift")
    }
  }

  @Test("The lists of exceptions have no stale entry")
  func staleExceptions() throws {
    let names = Set(try Self.folders.flatMap { try operators(in: $0).map(\.name) })
    let rows = ConformanceEntry.all
    let stages = Set(rows.filter { $0.stage != nil }.map(\.name))
    let timed = Set(rows.filter { $0.timedStage != nil }.map(\.name))
    let forms = Set(TryForm<TestError>.all.map(\.name))
    #expect(Self.changing.keys.filter { !names.contains($0) || stages.contains($0) } == [])
    #expect(Self.hopping.keys.filter { !names.contains($0) || timed.contains($0) } == [])
    #expect(Self.throwing.keys.filter { !names.contains($0) || forms.contains($0) } == [])
  }

  @Test("The lists derived from the table are not empty")
  func sizes() {
    #expect(Stage.all.count >= 39)
    #expect(Stage.tailing.count >= 2)
    #expect(TimedStage.all.count >= 10)
    #expect(TryForm<TestError>.all.count >= 13)
    #expect(FoldForm.all.count >= 17)
  }

  /// The operators of a folder, each once a file.
  private func operators(in folder: String) throws -> [(name: String, file: String)] {
    try StreamsSources.files(in: "Sources/Streams/\(folder)").flatMap { file in
      try Set(DocumentedMethod.all(in: StreamsSources.text(of: file)).map(\.name))
        .map { (name: $0, file: file) }
    }
  }
}
