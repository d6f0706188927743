import Foundation

/// Returns a row of a table in Markdown.
public func markdownRow(_ cells: [String]) -> String {
  "| \(cells.joined(separator: " | ")) |"
}

/// Reports progress on standard error, since the table goes to standard output.
public func say(_ text: String, terminator: String = "\n") {
  FileHandle.standardError.write(Data((text + terminator).utf8))
}

/// Returns the content of a cell that says whether a goal is met, and which of its parts are
/// missed.
///
/// - Parameter verdicts: The parts, each with whether it is met, or nil if this run cannot tell.
public func met(_ verdicts: [(text: String, isMet: Bool?)]) -> String {
  let missed = verdicts.filter { $0.isMet == false }.map(\.text)
  if !missed.isEmpty {
    return missed.count == verdicts.count ? "**no**" : "**no**: \(missed.joined(separator: ", "))"
  }
  return verdicts.isEmpty || verdicts.contains { $0.isMet == nil } ? "–" : "yes"
}
