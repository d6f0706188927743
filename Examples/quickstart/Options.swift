import Foundation

/// The options of the command line.
struct Options {
  var baseURL: String?
  var accessToken = "expired"
  var refreshToken = "refresh-1"
  var traceFile: String?

  static let help = """
    Fetches a profile with an expired access token: 401, refresh, and the same request again.

    usage: swift run quickstart [--base-url URL] [--access-token TOKEN] [--refresh-token TOKEN]
                                [--trace FILE]

      --base-url URL         an identity API of your own (GET me, POST auth/refresh);
                             by default one is started on a loopback port
      --access-token TOKEN   the access token to begin with (default: expired)
      --refresh-token TOKEN  the refresh token to send (default: refresh-1)
      --trace FILE           write a picture of the calls: .html, or .svg
      --help                 this text
    """

  /// Parses the arguments, and ends the program for `--help` and for unknown arguments.
  static func parse(_ arguments: [String] = CommandLine.arguments) -> Options {
    var options = Options()
    var rest = arguments.dropFirst()
    while let name = rest.popFirst() {
      switch name {
      case "--help", "-h":
        print(help)
        exit(0)
      case "--base-url": options.baseURL = value(of: name, in: &rest)
      case "--access-token": options.accessToken = value(of: name, in: &rest)
      case "--refresh-token": options.refreshToken = value(of: name, in: &rest)
      case "--trace": options.traceFile = traceFile(value(of: name, in: &rest))
      default: refuse("unknown option \(name)")
      }
    }
    return options
  }

  private static func value(of name: String, in rest: inout ArraySlice<String>) -> String {
    guard let value = rest.popFirst() else { refuse("\(name) needs a value") }
    return value
  }

  private static func traceFile(_ path: String) -> String {
    guard path.hasSuffix(".html") || path.hasSuffix(".svg") else {
      refuse("--trace writes .html or .svg")
    }
    return path
  }

  private static func refuse(_ reason: String) -> Never {
    fail("\(reason); see --help", code: 2)
  }

  /// Ends the program with a line on standard error.
  static func fail(_ reason: String, code: Int32) -> Never {
    FileHandle.standardError.write(Data("quickstart: \(reason)\n".utf8))
    exit(code)
  }
}
