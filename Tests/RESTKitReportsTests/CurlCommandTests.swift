import Fixtures
import Foundation
import Streams
import StreamsTesting
import Testing

@testable import RESTKit
@testable import RESTKitReports

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("SEC-12: a request as a curl command", .timeLimit(.minutes(10)))
struct CurlCommandTests {
  private func request(
    _ method: String = "POST", url: String = "https://h.example/v1/a?x=1&y=a%20b#part",
    headers: [String: String] = ["Content-Type": "text/plain"], body: String? = "hello"
  ) throws -> URLRequest {
    var request = URLRequest(url: try #require(URL(string: url)))
    request.httpMethod = method
    for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
    request.httpBody = body.map { Data($0.utf8) }
    return request
  }

  /// Texts that a careless command would run, split, expand or lose.
  static let hostile = [
    "it's", "'", "''", "'; touch owned; '", "$(touch owned)", "`touch owned`", "${HOME}", "$HOME",
    "a\\", "\\'", "\\\"", "\"", "\" ; touch owned #", "*", "~", "~root", "=ls", "a=~", "!!", "a;b",
    "a&touch owned&",
    "a|b",
    "> owned", "< owned", "a  b", " a ", "\ta", "{a,b}", "[a-z]", "-o owned", "--output=owned",
    "@owned",
    "%s%n", "\\n\\0", "a\u{1B}[31mb", "\u{7F}", "\u{9B}31m", "é 天 😀", "", "=", "#a", "x\u{1}",
  ]

  @Test("A command is laid out for people, with secrets hidden")
  func text() throws {
    let login = try request(
      url: "https://user:canary@h.example/v1/login?token=canary&page=2",
      headers: [
        "Content-Type": "application/json", "Authorization": "Bearer canary", "X-Own": "canary",
      ],
      body: #"{"user": "canary", "age": 36, "isAdmin": false}"#)
    #expect(
      login.curlCommand() == #"""
        curl --request POST \
          --header 'Authorization: <redacted>' \
          --header 'Content-Type: application/json' \
          --header 'X-Own: <redacted>' \
          --data-raw '{"user": "<redacted>", "age": 0, "isAdmin": false}' \
          --globoff --url 'https://h.example/v1/login?token=REDACTED&page=REDACTED'
        """#)
    #expect(
      try request("HEAD", url: "http://h/a", headers: [:], body: nil).curlCommand()
        == "curl --head \\\n  --globoff --url http://h/a")
  }

  @Test("The shell passes on the request's text, and runs nothing else", arguments: hostile)
  func hostileValues(value: String) throws {
    let sent = try request(
      value.isEmpty ? "GET" : value, headers: ["X-A": value, "Content-Type": "text/plain"],
      body: "body \(value)")
    let (arguments, _) = try Shell.curlArguments(sent.curlCommand(redaction: .none))
    let header = try #require(sent.value(forHTTPHeaderField: "X-A"))
    #expect(
      arguments == [
        "--request", sent.httpMethod ?? "", "--header", "Content-Type: text/plain", "--header",
        header.isEmpty ? "X-A;" : "X-A: \(header)", "--data-raw", "body \(value)", "--globoff",
        "--url", "https://h.example/v1/a?x=1&y=a%20b",
      ])
  }

  @Test("Random words come out of the shell unchanged", arguments: Fuzz.seeds)
  func fuzz(seed: UInt64) throws {
    try Fuzz.run(seed, cases: 8) { generator, drawn in
      // Many words a run: to start a shell is what takes the time.
      let words = (0..<100).map { _ in generator.text(of: Self.hostile, 0...5) }
      let script = "curl \(words.map(\.shellWord).joined(separator: " "))"
      for shell in Shell.installed {
        let (arguments, _) = try Shell.curlArguments(script, in: shell)
        if arguments != words { drawn.fail("\(words) became \(arguments) in \(shell)") }
      }
    }
  }

  @Test("Bytes that no argument can hold go through a pipe", arguments: [[0, 1, 0xFF], [0xC3]])
  func binary(bytes: [UInt8]) throws {
    var sent = try request(headers: [:], body: nil)
    sent.httpBody = Data(bytes)
    let (arguments, input) = try Shell.curlArguments(sent.curlCommand(redaction: .none))
    #expect(input == Data(bytes))
    #expect(
      arguments == [
        "--request", "POST", "--header", "Content-Type:", "--data-binary", "@-", "--globoff",
        "--url", "https://h.example/v1/a?x=1&y=a%20b",
      ])
    let redacted = try Shell.curlArguments(sent.curlCommand())
    #expect(redacted.input.isEmpty)
    #expect(redacted.arguments.contains("<redacted>"))
  }

  @Test("A body passed beside the request is shown by its kind")
  func bodies() throws {
    let sent = try request(headers: ["Content-Type": "application/json"], body: nil)
    // Only a name: the file is never opened.
    let file = URL(fileURLWithPath: "/tmp/a b'c")
    func lines(_ body: RequestBody, _ redaction: Redaction) throws -> [String] {
      let command = sent.curlCommand(body: body, redaction: redaction)
      return try Array(Shell.curlArguments(command).arguments.dropFirst(4).prefix(2))
    }
    #expect(try lines(.data(Data("{}".utf8)), .strict) == ["--data-raw", "{}"])
    #expect(try lines(.file(file), .none) == ["--data-binary", "@/tmp/a b'c"])
    #expect(try lines(.file(file), .strict) == ["--data-binary", "@<redacted>"])
    // The user of the command adds a publisher's chunks.
    let chunks = Empty<Data, any Error>()
    #expect(sent.curlCommand(body: .chunks(chunks)).contains("\n  --data-binary @- \\\n"))
  }

  @Test("An empty body is shown where a request has a Content-Length of 0")
  func emptyBody() throws {
    let given = try request("DELETE", body: nil).curlCommand(body: .data(Data()), redaction: .none)
    #expect(given.contains("--data-raw ''"))
    for body in ["", nil] {
      for method in ["POST", "PUT", "PATCH"] {
        let command = try request(method, body: body).curlCommand(redaction: .none)
        #expect(command.contains("--data-raw ''"))
      }
      for method in ["GET", "DELETE", "HEAD", "OPTIONS"] {
        let command = try request(method, body: body).curlCommand(redaction: .none)
        #expect(!command.contains("--data"))
      }
    }
  }

  @Test(
    "No word is bare that a shell expands",
    arguments: ["~", "~root", "~+", "=ls", "a=~", "a:~", "{a,b}", "a{1..3}"])
  func expanded(word: String) {
    #expect(word.shellWord == "'\(word)'")
  }

  @Test("A long text goes through a pipe, since an argument has a limit")
  func long() throws {
    for (length, isPiped) in [(99_999, false), (100_000, true), (300_000, true)] {
      let text =
        String(repeating: "é'", count: length / 3) + String(repeating: "x", count: length % 3)
      let sent = try request(body: text)
      let (arguments, input) = try Shell.curlArguments(sent.curlCommand(redaction: .none))
      #expect(arguments.contains("--data-binary") == isPiped)
      #expect(isPiped ? input == Data(text.utf8) : arguments.contains(text))
    }
  }

  @Test(
    "A path with dots is sent as it is written",
    arguments: ["a/../b", "a/%2E%2e/b", "./b", "a/%2e"])
  func dots(path: String) throws {
    let dotted = try request("GET", url: "https://h.example/\(path)", body: nil)
    #expect(dotted.curlCommand(redaction: .none).contains("--globoff --path-as-is --url"))
    let plain = try request("GET", url: "https://h.example/a.b/..c?x=/../", body: nil)
    #expect(!plain.curlCommand(redaction: .none).contains("--path-as-is"))
  }

  @Test("A header of blanks is sent without a value")
  func blankHeader() throws {
    let sent = try request(headers: ["X-A": " \t"])
    #expect(sent.curlCommand(redaction: .none).contains("--header 'X-A;'"))
  }

  @Test(
    "A character that reorders the text around it is written as an escape",
    arguments: ["\u{61C}", "\u{200F}", "\u{202E}", "\u{2066}"])
  func reordering(character: String) throws {
    let sent = try request(headers: ["X-A": "a\(character)b"])
    let command = sent.curlCommand(redaction: .none)
    #expect(!command.contains(character))
    let (arguments, _) = try Shell.curlArguments(command)
    #expect(arguments.contains("X-A: a\(character)b"))
  }

  @Test(
    "A text with more than 100 escapes goes through a pipe, since each costs a process",
    arguments: [
      ("\r\n", 100, false), ("\r\n", 101, true), ("\n\té", 500, false), ("\u{202E}", 101, true),
    ])
  func manyEscapes(piece: String, count: Int, isPiped: Bool) throws {
    let text = String(repeating: piece, count: count)
    let command = try request(body: text).curlCommand(redaction: .none)
    #expect(command.contains("base64 -d") == isPiped)
    let (arguments, input) = try Shell.curlArguments(command)
    #expect(isPiped ? input == Data(text.utf8) : arguments.contains(text))
  }

  @Test("A NUL in a text goes through a pipe")
  func nul() throws {
    let sent = try request(body: "a\0b")
    let (_, input) = try Shell.curlArguments(sent.curlCommand(redaction: .none))
    #expect(input == Data("a\0b".utf8))
  }

  @Test("No header makes curl read a file")
  func fileHeader() throws {
    let sent = try request(headers: ["@/etc/passwd": "x", "X": "1"], body: nil)
    let (arguments, _) = try Shell.curlArguments(sent.curlCommand(redaction: .none))
    #expect(!arguments.contains { $0.hasPrefix("@") })
  }
}
