import Fixtures
import Foundation

@testable import RESTKit
@testable import RESTKitReports

/// The modules of the libraries, each above those that it imports.
struct ModuleDiagram {
  struct Arrow: Equatable {
    let from: String
    let to: String
    /// Where alone it holds, such as `on Linux`.
    let note: String?
  }

  /// From bottom to top, in the order of their names.
  private let levels: [[String]]
  /// The imports between modules, without arrows that follow from others.
  let arrows: [Arrow]

  init(_ manifest: PackageManifest) {
    let targets = Dictionary(manifest.targets.map { ($0.name, $0.dependencies) }) { $1 }
    var modules: Set<String> = []
    func visit(_ name: String) {
      guard modules.insert(name).inserted else { return }
      for dependency in targets[name] ?? [] { visit(dependency.name) }
    }
    manifest.products.filter(\.isLibrary).flatMap(\.targets).forEach(visit)

    func depth(_ name: String) -> Int {
      (targets[name] ?? []).map { depth($0.name) + 1 }.max() ?? 0
    }
    func reaches(_ name: String, _ other: String) -> Bool {
      (targets[name] ?? []).contains { $0.name == other || reaches($0.name, other) }
    }
    levels = Dictionary(grouping: modules.sorted(), by: depth)
      .sorted { $0.key < $1.key }.map(\.value)
    arrows = modules.sorted().flatMap { name in
      let dependencies = targets[name] ?? []
      return dependencies.filter { dependency in
        !dependencies.contains { reaches($0.name, dependency.name) }
      }.map { dependency in
        let platforms = dependency.platforms.map(\.capitalized).joined(separator: ", ")
        return Arrow(
          from: name, to: dependency.name, note: platforms.isEmpty ? nil : "on \(platforms)")
      }
    }
  }
}

extension ModuleDiagram: CustomStringConvertible {
  /// A line for each arrow, from top to bottom.
  var description: String {
    arrows.map { "\($0.from) imports \($0.to)\($0.note.map { " \($0)" } ?? "")" }
      .joined(separator: "\n")
  }
}

extension ModuleDiagram {
  // Three boxes beside each other have space between them.
  private static let width = 440
  private static let top = 52
  private static let box = 38
  private static let level = 84

  /// The picture, as an SVG document that follows the reader's choice of light or dark.
  ///
  /// The colors of the light look are attributes, too: some viewers know no variables of CSS.
  var svg: String {
    let height = Self.top + (levels.count - 1) * Self.level + Self.box + 20
    let boxes = levels.joined().map { name in
      let place = place(of: name)
      return """
        <rect x="\(place.x - width(of: name) / 2)" y="\(place.y)" width="\(width(of: name))" \
        height="\(Self.box)" rx="8" fill="#eef3fc" stroke="#2563c9"/>\
        <text class="name" x="\(place.x)" y="\(place.y + 24)" font-weight="600" \
        text-anchor="middle">\(name.markup)</text>
        """
    }
    return """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(Self.width) \(height)" width="100%" role="img" \
      aria-label="Modules and what they import" class="modules" fill="#1c2024" \
      font-family="sans-serif" font-size="13">
      <title>Modules and what they import</title>
      <desc>\(description.markup)</desc>
      <style>
      \(Self.style)
      </style>
      <rect class="page" width="100%" height="100%" rx="8" fill="#ffffff"/>
      <text class="title" x="14" y="28" font-size="16" font-weight="600">Modules and what they import</text>
      \((arrows.map(draw) + boxes).joined(separator: "\n"))
      </svg>

      """
  }

  private func width(of name: String) -> Int { name.count * 8 + 24 }

  private func place(of name: String) -> (x: Int, y: Int) {
    guard let level = levels.firstIndex(where: { $0.contains(name) }),
      let column = levels[level].firstIndex(of: name)
    else { return (0, 0) }
    let x = Self.width * (2 * column + 1) / (2 * levels[level].count)
    return (x, Self.top + (levels.count - 1 - level) * Self.level)
  }

  private func draw(_ arrow: Arrow) -> String {
    let (start, end) = (place(of: arrow.from), place(of: arrow.to))
    let (from, to) = (start.y + Self.box, end.y - 3)
    // Beside the middle of a box, so that arrows to the left, down and to the right stand apart.
    let startX = start.x + (end.x - start.x).signum() * 14
    let endX = end.x + (start.x - end.x).signum() * 14
    let middle = (from + to) / 2
    let curve = "C\(startX) \(middle) \(endX) \(middle) \(endX) \(to)"
    let note = arrow.note.map {
      """
      <text class="note" x="\((startX + endX) / 2 - 8)" y="\(middle + 4)" fill="#5c646e" \
      text-anchor="end">\($0)</text>
      """
    }
    return """
      <path d="M\(startX) \(from)\(curve)m-5-7 5 7 5-7" fill="none" stroke="#8b929c" \
      stroke-width="1.5"/>\(note ?? "")
      """
  }

  private static let style = """
    .modules { --page: #ffffff; --text: #1c2024; --note: #5c646e; --line: #8b929c; --box: #eef3fc;
      --edge: #2563c9; }
    @media (prefers-color-scheme: dark) {
      .modules { --page: #15181c; --text: #eceff3; --note: #a3acb8; --line: #8d96a2; --box: #1d2736;
        --edge: #7aa9f8; } }
    .modules text { font-family: system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
      fill: var(--text); }
    .modules .note { fill: var(--note); }
    .modules rect { fill: var(--box); stroke: var(--edge); }
    .modules .page { fill: var(--page); stroke: none; }
    .modules path { stroke: var(--line); }
    """
}
