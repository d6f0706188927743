import Fixtures
import Foundation
import Testing

@Suite("Docs/Security.md names existing tests")
struct SecurityPageTests {
  private static func page() throws -> String {
    try String(contentsOf: PackageFolder.url.appending(path: "Docs/Security.md"), encoding: .utf8)
  }

  /// The sources of the tests, by the path below their folder.
  private static func sources() throws -> [String: String] {
    let folder = PackageFolder.url.appending(path: "Tests")
    let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
    return try paths.filter { $0.hasSuffix(".swift") }.reduce(into: [:]) { sources, path in
      sources[path] = try String(contentsOf: folder.appending(path: path), encoding: .utf8)
    }
  }

  @Test("Each id is in the name of a test or a suite")
  func ids() throws {
    let ids = Set(try Self.page().matches(of: /\b[A-Z]{2,3}-\d\d\b/).map { String($0.0) })
    let names = try Self.sources().values.flatMap { source in
      source.matches(of: /@(?:Test|Suite)\(\s*"([^"]*)"/).map { String($0.1) }
    }
    for id in ids { #expect(names.contains { $0.contains(id) }, "\(id)") }
    for number in 1...10 {
      let id = "SEC-" + (number < 10 ? "0" : "") + "\(number)"
      #expect(ids.contains(id), "\(id)")
    }
    #expect(ids.isSuperset(of: ["SEC-15", "SEC-16", "SEC-17"]))
  }

  @Test("Each named test exists")
  func tests() throws {
    let sources = try Self.sources().values
    let names = try Self.page().matches(of: /`([A-Z][A-Za-z]+Tests)\.([a-zA-Z]+)`/)
    #expect(names.count > 50)
    for name in names {
      let isThere = sources.contains { source in
        guard let suite = source.range(of: "struct \(name.1) {") else { return false }
        let rest = source[suite.upperBound...]
        let end = rest.range(of: "\nstruct ")?.lowerBound ?? rest.endIndex
        return rest[..<end].contains("func \(name.2)(")
      }
      #expect(isThere, "\(name.0)")
    }
  }

  @Test("Each named attack exists")
  func attacks() throws {
    let folder = PackageFolder.url.appending(path: "Tests/IntegrationTests/Attack")
    let sources = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
      .map { try String(contentsOf: folder.appending(path: $0), encoding: .utf8) }
    let names = try Self.page().matches(of: /`Attack\.([A-Z][A-Za-z]+)\.([a-zA-Z]+)`/)
    #expect(names.count > 5)
    for name in names {
      let isThere = sources.contains {
        $0.contains("struct \(name.1) {") && $0.contains("func \(name.2)(")
      }
      #expect(isThere, "\(name.0)")
    }
  }

  @Test("Each file of the corpus is named, and none is empty")
  func corpus() throws {
    let page = try Self.page()
    for file in try Corpus.files() {
      #expect(page.contains("`\(file)`"), "\(file)")
      let path = Corpus.folder.appending(path: "\(file).jsonl")
      let lines = try String(contentsOf: path, encoding: .utf8).split(separator: "\n")
      #expect(lines.count > 10, "\(file)")
    }
  }
}
