import StreamsTesting

/// The pictures of operators, as their diagrams' runs show them.
struct OperatorPictures {
  struct Entry {
    let name: String
    /// The first sentence of its first spelling's doc comment.
    let summary: String
    var picture: MarblePicture
  }

  /// In the order of the names.
  let entries: [Entry]

  /// Runs all diagrams.
  ///
  /// - Throws: A description of the first wrong diagram.
  static func make() async throws -> OperatorPictures {
    try OperatorPictures(await DiagramRun.all(of: try DiagramBlock.all()))
  }

  /// An operator's spellings stand in one picture, but for those that show nothing new: the same
  /// lines again, or the fourth source and more, which do as the third does.
  private init(_ runs: [DiagramRun]) throws {
    var entries: [String: Entry] = [:]
    for run in runs {
      let panel = try run.result.get()
      let name = run.block.name
      var entry =
        entries[name]
        ?? Entry(
          name: name, summary: run.block.summary, picture: MarblePicture(name, panels: []))
      let sources = panel.sources.filter { $0.diagram.kind != .demand }.map(\.name)
      let isNew = !entry.picture.panels.contains(panel) && Set(sources).count < 4
      if isNew { entry.picture.panels.append(panel) }
      entries[name] = entry
    }
    self.entries = entries.values.sorted {
      ($0.name.lowercased(), $0.name) < ($1.name.lowercased(), $1.name)
    }
  }
}
