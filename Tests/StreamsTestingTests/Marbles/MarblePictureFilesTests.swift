import Foundation
import StreamsTesting
import Testing

/// The pictures of the guides show calls of every kind; here each is drawn from its own text.
@Suite("Pictures and their texts", .leakFree)
struct MarblePictureFilesTests {
  private static let files: [URL] = {
    let folder = URL(filePath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
      .appending(path: "../../../Docs/Pictures/Operators")
    let all = try? FileManager.default.contentsOfDirectory(
      at: folder, includingPropertiesForKeys: nil)
    return (all ?? []).filter { $0.pathExtension == "svg" }
  }()

  @Test("A picture of Docs/Pictures is drawn from its text alone, to the last byte")
  func drawn() throws {
    #expect(Self.files.count > 50)
    for file in Self.files {
      let svg = try String(contentsOf: file, encoding: .utf8)
      let title = try Self.content(of: "title", in: svg)
      let text = try Self.content(of: "desc", in: svg)
      let panels = try text.split(separator: "\n\n").map { try Self.panel($0) }
      let picture = MarblePicture(title, panels: panels)
      #expect(picture.description == text, "\(title)")
      #expect(picture.svg == svg, "\(title)")
    }
  }

  private static func content(of tag: String, in svg: String) throws -> String {
    let begin = try #require(svg.firstRange(of: "<\(tag)>"))
    let end = try #require(svg.firstRange(of: "</\(tag)>"))
    return String(svg[begin.upperBound..<end.lowerBound]).replacing("&lt;", with: "<")
      .replacing("&gt;", with: ">").replacing("&quot;", with: "\"").replacing("&amp;", with: "&")
  }

  private static func panel(_ text: Substring) throws -> MarblePicture.Panel {
    var panel = MarblePicture.Panel(call: "", sources: [], results: [])
    for line in text.split(separator: "\n") {
      if let match = line.wholeMatch(of: #/([A-Za-z][A-Za-z0-9 ]*): +(.*)/#) {
        let marks = try diagram(String(match.2), of: match.1)
        let read = MarblePicture.Line(String(match.1), marks)
        if panel.call.isEmpty { panel.sources.append(read) } else { panel.results.append(read) }
      } else if let match = line.wholeMatch(of: #/(\S) = (.+)/#) {
        panel.legend[String(match.1)] = String(match.2)
      } else {
        panel.call += panel.call.isEmpty ? line : "\n" + line
      }
    }
    return panel
  }

  /// Reads a line that was recorded, in which `^` and `!` are a subscription and a cancel.
  private static func diagram(_ text: String, of name: Substring) throws -> MarbleDiagram {
    let isDemand = name.split(separator: " ").last == "demand"
    let quoted = text.replacing("^", with: "\"^\"").replacing("!", with: "\"!\"")
    var diagram = try MarbleDiagram(quoted, kind: isDemand ? .demand : .signals)
    diagram.events = diagram.events.map { event in
      switch event.mark {
      case .value("^"): MarbleEvent(frame: event.frame, mark: .subscription)
      case .value("!"): MarbleEvent(frame: event.frame, mark: .cancel)
      default: event
      }
    }
    return diagram
  }
}
