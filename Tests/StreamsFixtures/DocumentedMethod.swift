/// A public method or property that an operator adds to publishers, with its doc comment.
package struct DocumentedMethod: Equatable {
  package static let sections = [
    "Demand", "Errors", "Completion", "Cancellation", "Delivery", "Complexity",
  ]

  package let name: String
  package let line: Int
  package let comment: [String]

  /// The other spelling's name, where a line begins with `` As ``name(…)`` ``.
  package var model: String? {
    guard let line = comment.first(where: { $0.hasPrefix("As ``") }) else { return nil }
    return String(line.dropFirst(5).prefix { $0.isLetter || $0.isNumber })
  }

  package var hasMarble: Bool {
    guard let start = comment.firstIndex(of: "```marble") else { return false }
    let diagram = comment[(start + 1)...].prefix { $0 != "```" }
    return diagram.contains { $0.hasPrefix("result:") } && start + diagram.count + 1 < comment.count
  }

  /// The sections that have no text, in the order of ``sections``.
  package var missingSections: [String] {
    Self.sections.filter { section in !comment.contains { $0.hasPrefix("- \(section): ") } }
  }
}

extension DocumentedMethod {
  private static let hosts = ["Publisher", "ConnectablePublisher", "Sequence", "AsyncSequence"]

  /// Returns the methods that a source adds to publishers or to types that can become one.
  package static func all(in source: String) -> [DocumentedMethod] {
    var methods: [DocumentedMethod] = []
    var comment: [String] = []
    var isInHost = false
    for (index, line) in source.split(separator: "\n", omittingEmptySubsequences: false)
      .enumerated()
    {
      let text = line.drop { $0 == " " }
      if line.hasPrefix("extension ") {
        isInHost = hosts.contains(String(line.dropFirst(10).prefix { $0.isLetter }))
      } else if line == "}" {
        isInHost = false
      }
      if text.hasPrefix("///") {
        comment.append(String(text.dropFirst(3).drop { $0 == " " }))
        continue
      }
      if isInHost, let name = declaredName(in: String(text)) {
        methods.append(DocumentedMethod(name: name, line: index + 1, comment: comment))
      } else if text.hasPrefix("@") {
        continue
      }
      comment = []
    }
    return methods
  }

  private static func declaredName(in text: String) -> String? {
    guard let match = text.firstMatch(of: #/\bpublic (?:func|var) `?([A-Za-z0-9]+)/#) else {
      return nil
    }
    return String(match.1)
  }

  /// Returns the missing parts of the doc comments of a source.
  ///
  /// Each method has all six sections and a marble diagram; a further spelling of a method in the
  /// same source says `` As ``that one(…)`` ``, and then only what differs.
  package static func faults(in source: String) -> [String] {
    let methods = all(in: source)
    let models = Set(methods.filter { $0.model != $0.name }.map(\.name))
    let shown = Set(methods.filter(\.hasMarble).map(\.name))
    return methods.flatMap { method in
      let missing = models.contains(method.model ?? "") ? [] : method.missingSections
      var faults = missing.map { "\(method.name), line \(method.line): no \($0)" }
      if !method.hasMarble && !shown.contains(method.model ?? "") {
        faults.append("\(method.name), line \(method.line): no marble")
      }
      return faults
    }
  }
}
