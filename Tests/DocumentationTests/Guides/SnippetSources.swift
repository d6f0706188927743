/// The sources that guides may show, by their paths.
nonisolated struct SnippetSources: Sendable {
  private let texts: [String: String]
  let regions: [SnippetRegion]

  init(_ texts: [String: String]) throws {
    self.texts = texts
    regions = try texts.sorted { $0.key < $1.key }
      .flatMap { try SnippetRegion.all(in: $0.value, of: $0.key) }
  }

  /// All of this repository.
  static let repository = Result {
    let paths = try ["Benchmarks", "Examples", "Integrations", "Tests"].flatMap {
      try Repository.files(in: $0, endingIn: ".swift")
    }
    return try SnippetSources(
      Dictionary(uniqueKeysWithValues: paths.map { ($0, try Repository.text(of: $0)) }))
  }

  /// The faults of a guide: blocks that differ from the code that they name, and regions of its
  /// snippets that it does not show.
  func problems(of guide: Guide) -> [String] {
    var problems: [String] = []
    var shown: Set<String> = []
    for block in guide.blocks where block.language.hasPrefix("swift") {
      let place = "\(guide.path), line \(block.line)"
      guard let mark = block.comment.flatMap(SnippetMark.init) else {
        problems.append("\(place): a Swift block without a mark")
        continue
      }
      if case .region(let name, nil) = mark, !shown.insert(name).inserted {
        problems.append("\(place): the snippet \(name) is shown twice")
      }
      problems += self.problems(of: block.text, as: mark, in: guide).map { "\(place): \($0)" }
    }
    let orphans = regions.filter { $0.path.hasPrefix(guide.snippets) && !shown.contains($0.name) }
    return problems + orphans.map { "\($0.path): \(guide.path) does not show \($0.name)" }
  }

  private func problems(of text: String, as mark: SnippetMark, in guide: Guide) -> [String] {
    switch mark {
    case .newcomer, .notCompiled:
      return []
    case .file(let path):
      guard let file = texts[path] else { return ["there is no \(path)"] }
      return file == text + "\n" ? [] : ["it is not what stands in \(path)"]
    case .region(let name, let path):
      let found = regions.filter { region in
        guard region.name == name else { return false }
        guard let path else { return region.path.hasPrefix(guide.snippets) }
        return region.path == path
      }
      guard let region = found.first else {
        return ["there is no region \(name) in \(path ?? guide.snippets)"]
      }
      guard found.count == 1 else {
        return ["several regions \(name): \(found.map(\.path).joined(separator: ", "))"]
      }
      return region.text == text
        ? [] : ["it is not the region \(name) of \(region.path), which is:\n\(region.text)"]
    }
  }

  /// The regions outside of the guides' own folders that no guide shows.
  func strays(of guides: [Guide]) -> [String] {
    let shown = Set(guides.flatMap(\.blocks).compactMap { $0.comment.flatMap(SnippetMark.init) })
    return
      regions
      .filter { region in !guides.contains { region.path.hasPrefix($0.snippets) } }
      .filter { !shown.contains(.region(name: $0.name, path: $0.path)) }
      .map { "\($0.path): no guide shows \($0.name)" }
  }
}
