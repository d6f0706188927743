import Cases
import Measuring

/// The options of the command line.
struct Options {
  /// A text that the title of a case must contain.
  var filter: String?
  /// A text that the name of a library must contain.
  var library: String?
  /// Whether to run fewer and shorter rounds, for a first look.
  var isQuick = false
  /// The path of the document whose table is replaced.
  var document: String?

  /// This benchmark's part of the document.
  static let part = Document(part: "benchmark")

  static let usage = """
    streams-benchmark [--filter TEXT] [--only TEXT] [--quick] [--write FILE]

    Measures Streams and its peers in one run and prints a table in Markdown.

      --filter TEXT  only the cases whose title holds TEXT, or any of A|B|C
      --only TEXT    only the libraries whose name holds TEXT, to profile one
      --quick        fewer and shorter rounds
      --write FILE   also puts the table into FILE, between the lines
                     \(part.begin) and
                     \(part.end)
    """

  init(_ arguments: some Sequence<String>) throws(BadOption) {
    var arguments = arguments.makeIterator()
    while let argument = arguments.next() {
      switch argument {
      case "--quick": isQuick = true
      case "--filter":
        guard let text = arguments.next() else { throw BadOption("--filter needs a text") }
        filter = text
      case "--only":
        guard let text = arguments.next() else { throw BadOption("--only needs a text") }
        library = text
      case "--write":
        guard let file = arguments.next() else { throw BadOption("--write needs a file") }
        document = file
      default: throw BadOption("unknown option \(argument)")
      }
    }
  }

  func wants(_ library: Library) -> Bool {
    self.library.map { library.rawValue.lowercased().contains($0.lowercased()) } ?? true
  }

  func wants(_ workCase: Case) -> Bool {
    guard let filter else { return true }
    let title = workCase.title
    return filter.split(separator: "|").contains { title.lowercased().contains($0.lowercased()) }
  }
}
