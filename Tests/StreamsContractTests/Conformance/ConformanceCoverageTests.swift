import StreamsFixtures
import Testing

@Suite("The conformance kit checks everything that is public", .leakFree)
struct ConformanceCoverageTests {
  private static let folders = [
    "Concurrency", "Core", "Operators", "Publishers", "Subjects", "Subscribers",
  ]

  /// Methods that are not stages of a pipeline, or that are checked under another name.
  private static let exceptions: [String: String] = [
    "connect": "begins a connection; multicast and autoconnect have their entries",
    "sink": "a subscriber: SinkTests, ActorSinkTests",
    "assign": "a subscriber: AssignTests",
    "subscribe": "attaches a subscriber; subscribe(on:) has its entry",
    "value": "an async bridge, C-12: ValueTests",
    "result": "an async bridge, C-12: ValueResultTests",
    "firstValue": "an async bridge, C-12: AwaitedValuesTests",
    "allValues": "an async bridge, C-12: AwaitedValuesTests",
    "values": "an async bridge, C-12: ValuesTests",
    "publisher": "makes a publisher that has its entry by its type",
  ]

  /// Types whose entries have the name of a method.
  private static let typesOfMethods: Set<String> = ["AsyncMap"]

  @Test("Each spelling of each public operator has an entry", arguments: folders)
  func operators(folder: String) throws {
    for file in try StreamsSources.files(in: "Sources/Streams/\(folder)") {
      let source = try StreamsSources.text(of: file)
      for name in Set(DocumentedMethod.all(in: source).map(\.name)) {
        #expect(
          Self.exceptions[name] != nil || ConformanceEntry.all.contains { $0.name == name },
          "\(name) in \(file) is not given to the conformance kit: add it to an …Entries.swift")
      }
    }
  }

  @Test("An operator has as many entries as it has spellings")
  func spellings() throws {
    var spellings: [String: Int] = [:]
    for folder in Self.folders {
      for file in try StreamsSources.files(in: "Sources/Streams/\(folder)") {
        for method in try DocumentedMethod.all(in: StreamsSources.text(of: file)) {
          spellings[method.name, default: 0] += 1
        }
      }
    }
    for (name, count) in spellings where Self.exceptions[name] == nil {
      let entries = ConformanceEntry.all.count { $0.name == name }
      #expect(entries >= count, "\(name) has \(count) spellings and \(entries) entries")
    }
    #expect(spellings.count > 80)
  }

  @Test("Each public publisher and subject has an entry")
  func types() throws {
    for folder in ["Concurrency", "Core", "Publishers", "Subjects"] {
      for file in try StreamsSources.files(in: "Sources/Streams/\(folder)") {
        for name in try publisherTypes(in: StreamsSources.text(of: file)) {
          #expect(
            Self.typesOfMethods.contains(name) || ConformanceEntry.all.contains { $0.name == name },
            "\(name) in \(file) is not given to the conformance kit: add it to an …Entries.swift")
        }
      }
    }
  }

  @Test("The test finds a publisher in a source by its declaration")
  func finding() throws {
    #expect(
      try publisherTypes(in: StreamsSources.text(of: "Sources/Streams/Publishers/Just.swift"))
        == ["Just"])
    #expect(
      try publisherTypes(in: StreamsSources.text(of: "Sources/Streams/Publishers/Optional.swift"))
        == ["Optional"])
    #expect(
      try publisherTypes(
        in: StreamsSources.text(of: "Sources/Streams/Subjects/PassthroughSubject.swift"))
        == ["PassthroughSubject"])
  }

  @Test("The list of exceptions has no stale entry")
  func staleExceptions() throws {
    var names: Set<String> = []
    for folder in Self.folders {
      for file in try StreamsSources.files(in: "Sources/Streams/\(folder)") {
        names.formUnion(try DocumentedMethod.all(in: StreamsSources.text(of: file)).map(\.name))
      }
    }
    #expect(Self.exceptions.keys.filter { !names.contains($0) } == [])
  }

  /// The public types that take subscribers.
  ///
  /// A nested `Publisher` has the extended type's name.
  private func publisherTypes(in source: String) -> [String] {
    var names: [String] = []
    var host = ""
    var type = ""
    for line in source.split(separator: "\n") {
      if let match = line.prefixMatch(of: #/extension ([A-Za-z]+)/#) { host = String(match.1) }
      if let match = line.firstMatch(of: #/public (?:struct|final class) ([A-Za-z]+)/#) {
        type = match.1 == "Publisher" ? host : String(match.1)
      }
      if line.contains(#/public func receive(?:<.*>)?\(subscriber:/#) {
        names.append(type)
      }
    }
    return names
  }
}
