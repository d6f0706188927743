import Foundation
import Measuring

/// The options of the command line.
struct Options {
  /// The path of the document whose part is replaced.
  var document: String?
  /// The path of the picture that is written.
  var picture: String?
  /// Whether to run each point once and shortly.
  var isQuick = false
  /// Whether to check the rule and the drawing only.
  var isCheck = false
  /// The URL of a running server.
  var url: String?
  /// The point to run in this process, for another process that waits for its outcome.
  var alone: Point?

  /// This benchmark's part of the document.
  static let part = Document(part: "scale-benchmark")

  static let usage = """
    scale-benchmark [--quick] [--write FILE] [--draw FILE] [--check] [--url URL]

    Measures what a call of CurlTransport takes with more callers, more hosts and larger bodies,
    against a nginx that it starts on loopback with Benchmarks/peers.sh, and prints a table in
    Markdown.

      --quick       one short run of each point, to see each row once
      --write FILE  also puts the table into FILE, between the lines
                    \(part.begin) and
                    \(part.end)
      --draw FILE   also draws the figures into FILE, as SVG
      --check       checks the rule for bends and the drawing, without a server; --quick does so, too
      --url URL     the server that `peers.sh start` named, instead of a new one
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
      case "--check": isCheck = true
      case "--write": document = try value(argument)
      case "--draw": picture = try value(argument)
      case "--url": url = try value(argument)
      case "--alone":
        let name = try value(argument)
        alone = Axis.allCases.flatMap(\.points).first { $0.name == name }
        if alone == nil { throw BadOption("\(name) is no point") }
      default: throw BadOption("unknown option \(argument)")
      }
    }
  }

  /// The number of runs of each point.
  var passes: Int { isQuick ? 1 : 3 }

  /// The time for which the calls of a run are measured.
  var length: Duration { .milliseconds(isQuick ? 150 : 700) }
}
