import Measuring

/// What the command line asks for.
struct Options {
  /// Only cases whose title holds this text.
  var filter: String?
  /// Only clients whose name holds this text.
  var client: String?
  /// Fewer and shorter rounds, for a first look.
  var isQuick = false
  /// The document whose table is replaced.
  var document: String?
  /// A server that runs already.
  var url: String?
  /// The case to run in this process, for another that waits for its facts.
  var alone: Case?

  /// The part of the document that is this benchmark's.
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
      guard let value = arguments.next() else { throw BadOption("\(option) wants a value") }
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
      default: throw BadOption("\(argument) is no option")
      }
    }
  }

  /// The usual way to measure a case, or a quick one.
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
