import Foundation
import Testing

@Suite("The guides' links have targets")
struct LinkTests {
  private struct Link {
    let path: String
    let anchor: String?
  }

  /// The links of a page to files of this repository.
  private func links(of page: String) throws -> [Link] {
    let folder = page.split(separator: "/").dropLast()
    let text = try Repository.text(of: page)
    let targets =
      text.matches(of: /\]\(([^)\s]+)\)/).map(\.1) + text.matches(of: /src="([^"]+)"/).map(\.1)
    return targets.filter { !$0.contains(":") }.map { target in
      let parts = target.split(separator: "#", omittingEmptySubsequences: false)
      var path = parts[0].isEmpty ? page.split(separator: "/") : Array(folder)
      for part in parts[0].split(separator: "/") {
        if part == ".." { path.removeLast() } else { path.append(part) }
      }
      return Link(
        path: path.joined(separator: "/"), anchor: parts.dropFirst().first.map(String.init))
    }
  }

  /// The anchors of a page's headings, as GitHub and others make them.
  private func anchors(of page: String) throws -> [String] {
    try Repository.text(of: page).matches(of: /(?m)^#+ (.+)$/).map { heading in
      heading.1.lowercased().filter { $0.isLetter || $0.isNumber || "-_ ".contains($0) }
        .replacing(" ", with: "-")
    }
  }

  /// Whether there is such a file or folder.
  private func has(_ path: String) -> Bool {
    (try? Repository.text(of: path)) != nil
      || (try? Repository.files(in: path, endingIn: "")) != nil
  }

  @Test(
    "Each link leads to an existing file and an existing heading",
    arguments: try Guide.all().map(\.path)
      + ["CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "Tests/Mutation/README.md"])
  func links(page: String) throws {
    for link in try links(of: page) {
      #expect(has(link.path), "\(link.path)")
      guard let anchor = link.anchor, link.path.hasSuffix(".md"), has(link.path) else {
        continue
      }
      #expect(try anchors(of: link.path).contains(anchor), "\(link.path)#\(anchor)")
    }
  }

  @Test("The files that the architecture names exist in Sources")
  func sources() throws {
    let files = try Repository.files(in: "Sources", endingIn: ".swift")
    let names = try Repository.text(of: "Docs/Architecture.md").matches(of: /`([\w+\/]+\.swift)`/)
    #expect(!names.isEmpty)
    for name in names {
      #expect(files.contains { $0.hasSuffix("/\(name.1)") }, "\(name.1)")
    }
  }
}
