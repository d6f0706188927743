import Foundation
import StreamsFixtures
import StreamsTesting
import Testing

#if canImport(FoundationXML)
  import FoundationXML
#endif

@Suite("The pictures of operators show the runs of the tests", .leakFree)
struct OperatorPictureTests {
  private static let folder = "Docs/Pictures/Operators"

  @Test("Each operator's picture matches a current run")
  func current() async throws {
    let pictures = try await OperatorPictures.make()
    var files: [String: String] = [:]
    for entry in pictures.entries {
      files["\(Self.folder)/\(entry.name).svg"] = entry.picture.svg
    }
    let gallery = OperatorGallery(pictures, guide: try StreamsSources.text(of: "Docs/Streams.md"))
    files["Docs/Operators.md"] = gallery.text
    #expect(gallery.homeless.isEmpty, "not in a table of Docs/Streams.md")
    let stale = try PictureFiles(files, in: Self.folder).stale()
    #expect(stale.isEmpty, "not current: \(stale.joined(separator: ", ")); run Docs/Pictures/make")
  }

  @Test("Each operator and publisher with a diagram has a picture that shows its calls")
  func complete() async throws {
    let pictures = try await OperatorPictures.make().entries
    let blocks = try DiagramBlock.all()
    #expect(Set(pictures.map(\.name)) == Set(blocks.map(\.name)))
    #expect(pictures.allSatisfy { !$0.picture.panels.isEmpty && !$0.summary.isEmpty })
    #expect(pictures.first { $0.name == "flatMap" }?.picture.panels.count == 2)
    #expect(pictures.first { $0.name == "merge" }?.picture.panels.count == 3)
  }

  @Test("Docs/Streams.md links each name to its picture")
  func links() async throws {
    let guide = try StreamsSources.text(of: "Docs/Streams.md")
    for entry in try await OperatorPictures.make().entries {
      #expect(guide.contains("](Operators.md#\(entry.name.lowercased()))"), "\(entry.name)")
    }
  }

  @Test("A picture is well-formed and has its text")
  func wellFormed() async throws {
    for entry in try await OperatorPictures.make().entries {
      let svg = entry.picture.svg
      #expect(XMLParser(data: Data(svg.utf8)).parse(), "\(entry.name)")
      #expect(svg.contains("<title>\(entry.name)</title>"))
      #expect(svg.contains("role=\"img\""))
    }
  }

  @Test("A picture shows when publishers began, the demand, and the cutoffs")
  func recorded() async throws {
    let pictures = try await OperatorPictures.make().entries
    func text(_ name: String) throws -> String {
      try #require(pictures.first { $0.name == name }).picture.description
    }
    #expect(
      try text("flatMap") == """
        source: -1----2------|
        child:  -^-a--b|
        child:  ------^-a--b|
        flatMap { _ in child }
        result: ---a--b-a--b-|

        source:        -1---2-|
        source demand: 1----1
        child:         -^a-b|
        child:         -----^a-b|
        flatMap(maxPublishers: .max(1)) { _ in child }
        result:        --a-b-a-b|
        """)
    #expect(
      try text("race") == """
        a:      --!-1--2--|
        b:      --3----4--|
        a.race(with: b)
        result: --3----4--|
        """)
  }

  @Test("A stale picture and a picture without a source are reported")
  func stale() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    for name in ["a.svg", "b.svg", "c.svg"] {
      try Data(name.utf8).write(to: folder.appending(path: name))
    }
    let files = PictureFiles(
      ["a.svg": "a.svg", "b.svg": "other", "d.svg": "d.svg"], in: "", root: folder)
    #expect(try files.stale(isRenewing: false) == ["b.svg", "c.svg", "d.svg"])
    #expect(try files.stale(isRenewing: true).isEmpty)
    #expect(try files.stale(isRenewing: false).isEmpty)
  }
}
