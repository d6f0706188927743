import Testing

/// A page of the documentation that may show code.
struct Guide: Sendable, CustomTestStringConvertible {
  let path: String
  let blocks: [GuideBlock]

  init(path: String, text: String) throws {
    self.path = path
    blocks = try GuideBlock.all(in: text)
  }

  /// The guide at a path of this repository.
  init(at path: String) throws {
    try self.init(path: path, text: Repository.text(of: path))
  }

  /// All guides, as the folders have them.
  static func all() throws -> [Guide] {
    let paths = try ["Docs", "Examples", "Integrations", "Sources"].flatMap {
      try Repository.files(in: $0, endingIn: ".md")
    }
    return try (["README.md"] + paths).map(Guide.init(at:))
  }

  /// The name of the file, or of the folder of a `README.md` and of a page of DocC; `Readme` for the
  /// one at the top.
  var name: String {
    let parts = path.split(separator: "/")
    guard parts.last == "README.md" || path.contains(".docc/") else {
      return String(parts.last?.dropLast(3) ?? "")
    }
    return parts.dropLast().last.map(String.init) ?? "Readme"
  }

  /// The folder of its snippets.
  var snippets: String { "Tests/DocumentationTests/Snippets/\(name)/" }

  /// The file of its tests.
  var tests: String { "Tests/DocumentationTests/\(name)Tests.swift" }

  /// The block after `<!-- output: NAME -->`, which a test compares with what the library gives.
  func output(_ name: String) throws -> String {
    guard let block = blocks.first(where: { $0.comment == "output: \(name)" }) else {
      throw GuideError("\(path) has no output \(name)")
    }
    return block.text
  }

  /// The names of its outputs.
  var outputs: [String] {
    blocks.compactMap { $0.comment?.wholeMatch(of: /output: (\S+)/).map { String($0.1) } }
  }

  var testDescription: String { path }
}
