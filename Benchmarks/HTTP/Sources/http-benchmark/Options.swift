import Measuring

/// The options of the command line.
struct Options {
  /// A text that the title of a case must contain.
  var filter: String?
  /// A text that the name of a client must contain.
  var client: String?
  /// Whether to run fewer and shorter rounds, for a first look.
  var isQuick = false
  /// The path of the document whose table is replaced.
  var document: String?
  /// The URL of a running server.
  var url: String?
  /// The case to run in this process, for another process that waits for its facts.
  var alone: Case?

  /// This benchmark's part of the document.
  static let part = Document(part: "http-benchmark")

  static let usage = """
    http-benchmark [--filter TEXT] [--only TEXT] [--quick] [--write FILE] [--url URL]

    Measures RESTKit's transports and their peers in one run, against a nginx that it starts on
    loopback with Benchmarks/peers.sh, and prints tables in Markdown.

      --filter TEXT  only the cases whose title holds TEXT, or any of A|B|C
      --only TEXT    only the clients whose name holds TEXT, or any of A|B|C, to profile one
      --quick        fewer and shorter rounds, to see each row once
      --write FILE   also puts the tables into FILE, between the lines
                     \(part.begin) and
                     \(part.end)
      --url URL      the server that `peers.sh start` named, instead of a new one

    The cases: \(Case.allCases.map(\.title).joined(separator: "; ")).
    """

  init(_ arguments: some Sequence<String>) throws(BadOption) {
    var arguments = arguments.makeIterator()
    func value(_ option: String) throws(BadOption) -> String {
      guard let value = arguments.next() else { throw BadOption("\(option) needs a value") }
      return value
    }
    while let argument = arguments.next() {
      switch argument {
      case "--quick": isQuick = true
      case "--filter": filter = try value(argument)
      case "--only": client = try value(argument)
      case "--write": document = try value(argument)
      case "--url": url = try value(argument)
      case "--alone":
        let title = try value(argument)
        alone = Case.allCases.first { $0.title == title && $0.isAlone }
        if alone == nil { throw BadOption("\(title) does not run alone") }
      default: throw BadOption("unknown option \(argument)")
      }
    }
  }

  /// Returns the given stopwatch, or a quick one if the option is set.
  func stopwatch(_ usual: Stopwatch) -> Stopwatch {
    isQuick ? usual.quick : usual
  }

  func wants(_ client: Client) -> Bool {
    holds(self.client, client.rawValue)
  }

  func wants(_ workCase: Case) -> Bool {
    holds(filter, workCase.title)
  }

  private func holds(_ texts: String?, _ name: String) -> Bool {
    guard let texts else { return true }
    return texts.split(separator: "|").contains { name.lowercased().contains($0.lowercased()) }
  }
}
