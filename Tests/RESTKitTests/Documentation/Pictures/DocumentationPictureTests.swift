import Foundation
import Testing

#if canImport(FoundationXML)
  import FoundationXML
#endif

@Suite("The pictures of the docs match the running code", .leakFree)
struct DocumentationPictureTests {
  private func check(_ name: String, _ svg: String) throws {
    #expect(XMLParser(data: Data(svg.utf8)).parse())
    #expect(svg.contains("role=\"img\"") && svg.contains("<desc>"))
    let isCurrent = try PictureFile(name).holds(svg)
    #expect(isCurrent, "Docs/Pictures/\(name) is not current; run Docs/Pictures/make")
  }

  @Test("The 401 story matches the calls' own logs")
  func refresh() throws {
    try check("refresh.svg", RefreshStory().run().svg)
  }

  @Test("The waterfall shows a call that waits, is refused, and is sent again")
  func waterfall() throws {
    let picture = try WaterfallStory().run()
    try check("waterfall.svg", picture.svg)
    for phase in ["TLS", "backoff", "refresh 1", "503", "401", "200"] {
      #expect("\(picture)".contains(phase), "\(picture)")
    }
  }

  @Test("The modules match Package.swift")
  func modules() throws {
    let diagram = ModuleDiagram(try PackageManifest.read(at: PictureFile.repository))
    try check("modules.svg", diagram.svg)
    #expect(diagram.arrows.contains { $0.from == "RESTKit" && $0.note == "on Linux" })
    // Arrows that follow from others are left out.
    #expect(!diagram.arrows.contains { $0.from == "RESTKitTesting" && $0.to == "Streams" })
  }

  @Test("An outdated picture is found")
  func stale() throws {
    let picture = RefreshStory().run().svg
    #expect(try !PictureFile("refresh.svg").holds(picture + " ", isRenewing: false))
    #expect(try !PictureFile("missing.svg").holds(picture, isRenewing: false))
  }
}
