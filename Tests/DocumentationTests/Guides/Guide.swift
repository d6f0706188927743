import Testing

/// A page of the documentation that may show code.
nonisolated struct Guide: Sendable, CustomTestStringConvertible {
  let path: String
  let blocks: [GuideBlock]

  init(path: String, text: String) throws {
    self.path = path
    blocks = try GuideBlock.all(in: text, of: path)
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

  /// The name of its file; that of the folder for a `README.md`, or `Readme` for the one at the
  /// top.
  ///
  /// A page of DocC has the catalog in its name, since modules are named as guides are.
  var name: String {
    let parts = path.dropLast(".md".count).split(separator: "/").map(String.init)
    let (file, folder) = (parts.last ?? "", parts.dropLast().last)
    if file == "README" { return folder ?? "Readme" }
    if let folder, folder.hasSuffix(".docc") { return "\(folder)/\(file)" }
    return file
  }

  /// The folder of its snippets.
  var snippets: String { "Tests/DocumentationTests/Snippets/\(name)/" }

  /// The file of its tests.
  var tests: String { "Tests/DocumentationTests/\(name)Tests.swift" }

  /// The block after `<!-- output: NAME -->`, which a test compares with the library's output.
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
