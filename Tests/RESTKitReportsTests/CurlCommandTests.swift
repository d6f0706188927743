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
    "a\\", "\\'", "\\\"", "\"", "\" ; touch owned #", "*", "~", "!!", "a;b", "a&touch owned&",
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
      let (arguments, _) = try Shell.curlArguments(script)
      if arguments != words { drawn.fail("\(words) became \(arguments)") }
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

  @Test("An explicit empty body is shown, and a request's own empty body is not")
  func emptyBody() throws {
    let given = try request(body: nil).curlCommand(body: .data(Data()), redaction: .none)
    #expect(given.contains("--data-raw ''"))
    let own = try request(body: "").curlCommand(redaction: .none)
    #expect(!own.contains("--data"))
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
