import Foundation

/// A line of a table in Markdown.
public func markdownRow(_ cells: [String]) -> String {
  "| \(cells.joined(separator: " | ")) |"
}

/// Tells how it goes, beside the table on standard output.
public func say(_ text: String, terminator: String = "\n") {
  FileHandle.standardError.write(Data((text + terminator).utf8))
}

/// Which of a goal's parts are missed, in a cell.
///
/// - Parameter verdicts: Each part, and whether it is reached; nil if this run cannot say.
public func met(_ verdicts: [(text: String, isMet: Bool?)]) -> String {
  let missed = verdicts.filter { $0.isMet == false }.map(\.text)
  if !missed.isEmpty {
    return missed.count == verdicts.count ? "**no**" : "**no**: \(missed.joined(separator: ", "))"
  }
  return verdicts.isEmpty || verdicts.contains { $0.isMet == nil } ? "–" : "yes"
}
