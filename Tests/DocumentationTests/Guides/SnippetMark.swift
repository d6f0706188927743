/// The statement of a comment about the Swift block after it: the source of its code.
nonisolated enum SnippetMark: Hashable {
  /// `snippet: NAME` or `snippet: NAME in PATH`: a region of the guide's snippets, or of that file.
  case region(name: String, path: String?)
  /// `file: PATH`: a whole file.
  case file(path: String)
  /// `newcomer: PATH`: a file of the package that `.ci/newcomer` makes, builds and tests.
  case newcomer(path: String)
  /// `not compiled: REASON`.
  case notCompiled

  init?(_ comment: String) {
    if let match = comment.wholeMatch(of: /snippet: (\S+)(?: in (\S+))?/) {
      self = .region(name: String(match.1), path: match.2.map(String.init))
    } else if let match = comment.wholeMatch(of: /file: (\S+)/) {
      self = .file(path: String(match.1))
    } else if let match = comment.wholeMatch(of: /newcomer: (\S+)/) {
      self = .newcomer(path: String(match.1))
    } else if comment.wholeMatch(of: /not compiled: .+/) != nil {
      self = .notCompiled
    } else {
      return nil
    }
  }
}
