import Fixtures
import Foundation
import RESTKitReports
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

  @Test("No label of the refresh picture reaches a lane, and no arrow crosses one")
  func lanes() throws {
    let svg = RefreshStory().run().svg
    let lanes = svg.matches(of: #/class="lane" d="M(\d+) /#).compactMap { Double($0.1) }
    #expect(lanes.count == 4)
    let arrows = svg.matches(of: #/<g class="h\d" [^>]*><path d="M(\d+) \d+H(\d+)[^>]*>(.+)</g>/#)
    #expect(arrows.count == 18)
    for arrow in arrows {
      let ends = try [#require(Double(arrow.1)), #require(Double(arrow.2))].sorted()
      let columns = ends.compactMap(lanes.firstIndex)
      #expect(columns.count == 2 && columns[1] == columns[0] + 1)
      for label in arrow.3.matches(of: /<text x="(\d+)"[^>]*>([^<]+)</) {
        let start = try #require(Double(label.1))
        // Letters of a wide font, DejaVu Sans.
        let end = start + Double(label.2.count) * 6.1
        #expect(start >= ends[0] + 4 && end <= ends[1] - 4, "\(label.2)")
      }
    }
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
    let diagram = ModuleDiagram(try PackageManifest.read(at: PackageFolder.url))
    try check("modules.svg", diagram.svg)
    #expect(diagram.arrows.contains { $0.from == "HTTPTransport" && $0.note == "on Linux" })
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
