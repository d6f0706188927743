import Foundation
import RESTKit
import RESTKitTesting
import Streams
import StreamsTesting
import Testing

@Suite("Scripts from lists and from files")
struct StubFileTests {
  private struct API: RESTAPI {
    let baseURL = base
    let transport: any Transport
  }

  /// Calls a closure with a folder of these files.
  private func withFolder(
    _ files: [String: String], _ body: (String) async throws -> Void
  ) async throws {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "restkit-stubs-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    for (name, text) in files { try Data(text.utf8).write(to: folder.appending(path: name)) }
    try await body(folder.path)
  }

  /// What a folder with one file is told to be wrong with, without the path of the folder.
  private func problem(_ text: String, more files: [String: String] = [:]) async throws -> String {
    var problem = ""
    try await withFolder(files.merging(["a.stub.json": text]) { $1 }) { folder in
      let stubs = StubTransport(StubAPIResponse.scripts(in: folder))
      do throws(StubError) { try stubs.verify() } catch {
        #expect(error.failures.map(\.kind) == [.invalidStub])
        #expect(error.failures.allSatisfy { $0.underlyingError is StubFileError })
        problem = error.description
      }
    }
    return problem
  }

  @Test("A list of scripts answers in memory and over a socket")
  func list() async throws {
    let scripts = (1...3).map { StubAPIResponse.text("\($0)", for: "/\($0)") }
    for stubs in [StubTransport(scripts), try StubTransport(scripts, over: URLSessionTransport())] {
      for number in [2, 1, 3] {
        let response = try await API(transport: stubs).get(endpoint: "\(number)").value
        #expect(response.data == Data("\(number)".utf8))
      }
      try stubs.verify()
    }
    try StubTransport([]).verify()
  }

  @Test("Each file *.stub.json of a folder is a script, with a body in a file beside it")
  func folder() async throws {
    try await withFolder([
      "b.stub.json": """
      {"request": {"method": "GET", "url": "\(base)/b"},
       "response": {"status": 404, "headers": {"X-A": "1", "Set-Cookie": ["a=1", "b=2"]},
                    "file": "b.json"}}
      """,
      "b.json": #"{ "exactly": "these bytes" }"#,
      "a.stub.json": """
      [{"request": {"method": "GET", "path": "/v1/*"}, "response": {"text": "first"}},
       {"request": {"method": "GET", "path": "/v1/*"}, "response": {"json": {"b": 1, "a": "/"}}}]
      """,
      "README.md": "not a stub",
    ]) { folder in
      let scripts = StubAPIResponse.scripts(in: folder)
      #expect(scripts.count == 2)
      for stubs in [
        StubTransport(scripts), try StubTransport(scripts, over: URLSessionTransport()),
      ] {
        let api = API(transport: stubs)
        #expect(try await api.get(endpoint: "b").value.data == Data("first".utf8))
        #expect(try await api.get(endpoint: "x").value.data == Data(#"{"a":"/","b":1}"#.utf8))
        let response = try await api.get(endpoint: "b").value
        #expect(response.statusCode == 404 && response.headers["X-A"] == "1")
        // URLSession joins the lines of a name.
        let cookies = response.headers.values(for: "Set-Cookie").joined(separator: ", ")
        #expect(cookies == "a=1, b=2")
        #expect(response.data == Data(#"{ "exactly": "these bytes" }"#.utf8))
        try stubs.verify()
      }
    }
  }

  @Test("A file asks for what the methods of StubRequest ask for, and reports name it")
  func request() async throws {
    try await withFolder([
      "a.stub.json": """
      {"request": {"method": "POST", "scheme": "https", "host": "api.example.com", "path": "/v1/*",
         "query": {"page": "2", "debug": null}, "headers": {"Accept": "a/b", "Cookie": null},
         "jsonContaining": {"id": 7}},
       "response": {}}
      """,
      "b.stub.json": """
      {"request": {"json": [1, 2.5]}, "response": {}, "optional": true}
      """,
      "c.stub.json": """
      {"request": {"form": {"a": "1"}}, "response": {}, "optional": true}
      """,
      "d.stub.json": """
      {"request": {"text": "abc"}, "response": {}, "optional": true}
      """,
    ]) { folder in
      let stubs = StubTransport(StubAPIResponse.scripts(in: folder))
      let api = API(transport: stubs)
      _ = try await api.post(
        endpoint: "a", query: ["page": "2"], body: .data(Data(#"{"id": 7, "x": 1}"#.utf8))
      ) { $0.settingHeader("Accept", to: "a/b") }
      .value
      for body in ["[1, 2.50]", "b=2&a=1", "abc"] { try stubs.text("/x", body: Data(body.utf8)) }
      try stubs.verify()
      let error = #expect(throws: StubError.self) {
        try StubTransport(Array(StubAPIResponse.scripts(in: folder).prefix(1)))
          .text("/x?debug=1", method: .post)
      }
      let report = try #require(error?.description)
      for line in [
        "POST https://api.example.com/v1/* → 200 (a.stub.json), next", "- query page: 2",
        "- query debug: (none)", "- header Accept: a/b", "- body: JSON",
        "Add a stub for this request",
      ] { #expect(report.contains(line), "\(report)") }
    }
  }

  @Test("A file repeats its response, delays it, and has faults", .timeLimit(.minutes(10)))
  func uses() async throws {
    try await withFolder([
      "a.stub.json": """
      {"request": {"path": "/v1/a"}, "response": {"delay": 1.5}, "repeats": 2}
      """,
      "b.stub.json": """
      {"request": {"path": "/v1/b"}, "response": {"fault": "bodyCut"}, "always": true}
      """,
      "c.stub.json": """
      {"request": {"path": "/v1/c"}, "response": {}, "always": true, "optional": true}
      """,
    ]) { folder in
      let scheduler = TestScheduler()
      let stubs = StubTransport(StubAPIResponse.scripts(in: folder), scheduler: scheduler)
      #expect(stubs.unusedStubs.count == 2)
      #expect(stubs.unusedStubs.first?.contains("(a.stub.json).\nRemove the stub") == true)
      for _ in 1...2 {
        let subscriber = try stubs.subscriber("/a")
        scheduler.advance(by: .milliseconds(1_499))
        #expect(subscriber.values.isEmpty)
        scheduler.advance(by: .milliseconds(1))
        #expect(subscriber.values.count == 1)
      }
      for _ in 1...3 {
        #expect((try stubs.subscriber("/b").failure as? RESTError)?.kind == .transport(.bodyCut))
      }
      try stubs.verify()
    }
  }

  @Test("The bounds of a file's numbers are in them", .timeLimit(.minutes(10)))
  func bounds() async throws {
    for (member, value) in [("delay", "0"), ("delay", "86400"), ("status", "999")] {
      try await withFolder([
        "a.stub.json": """
        {"request": {"path": "/v1/a"}, "response": {"\(member)": \(value)}}
        """
      ]) { folder in
        let scheduler = TestScheduler()
        let stubs = StubTransport(StubAPIResponse.scripts(in: folder), scheduler: scheduler)
        let subscriber = try stubs.subscriber("/a")
        scheduler.run()
        // A day is longer than the minute that the request allows.
        let isLate = value == "86400"
        let status = member == "status" ? 999 : 200
        #expect(subscriber.values.map(\.statusCode) == (isLate ? [] : [status]))
        #expect(scheduler.now == (isLate ? .seconds(60) : .zero))
        try stubs.verify()
      }
    }
  }

  @Test(
    "What cannot be read fails the test, and names the file and the member",
    arguments: [
      ("", "a.stub.json: It is not JSON."), ("[]", "a.stub.json: It must have a response."),
      ("7", "a.stub.json: It must be an object."),
      ("[{}, 7]", "a.stub.json, [0].request: It is missing."),
      (#"{"response": {}}"#, "a.stub.json, request: It is missing."),
      (#"{"request": {}}"#, "a.stub.json, response: It is missing."),
      (
        #"{"request": {}, "response": {}, "times": 3}"#,
        "a.stub.json, times: There is no such member. There are request, response, repeats, "
          + "always, optional."
      ),
      (#"{"request": 7, "response": {}}"#, "a.stub.json, request: It must be an object."),
      (
        #"[{"request": {}, "response": {"staus": 200}}]"#,
        "a.stub.json, [0].response.staus: There is no such member. There are status, headers, "
          + "file, json, text, fault, delay."
      ),
      (
        #"{"request": {}, "response": {"status": "200"}}"#,
        "a.stub.json, response.status: It must be a whole number from 100 to 999."
      ),
      (
        #"{"request": {}, "response": {"status": 99}}"#,
        "a.stub.json, response.status: It must be a whole number from 100 to 999."
      ),
      (
        #"{"request": {}, "response": {"status": 1000}}"#,
        "a.stub.json, response.status: It must be a whole number from 100 to 999."
      ),
      (
        #"{"request": {}, "response": {}, "repeats": 0}"#,
        "a.stub.json, repeats: It must be a whole number from 1 to 1000000."
      ),
      (
        #"{"request": {}, "response": {}, "repeats": 1000001}"#,
        "a.stub.json, repeats: It must be a whole number from 1 to 1000000."
      ),
      (
        #"{"request": {}, "response": {"delay": 86400.5}}"#,
        "a.stub.json, response.delay: It must be a number of seconds from 0 to 86400."
      ),
      (
        #"{"request": {}, "response": {"delay": -1}}"#,
        "a.stub.json, response.delay: It must be a number of seconds from 0 to 86400."
      ),
      (
        #"{"request": {}, "response": {"headers": {"A": 1}}}"#,
        "a.stub.json, response.headers.A: It must be a text, or an array of texts."
      ),
      (
        #"{"request": {}, "response": {"text": 7}}"#,
        "a.stub.json, response.text: It must be a text."
      ),
      (
        #"{"request": {}, "response": {"text": "", "file": ""}}"#,
        "a.stub.json, response.text: It cannot stand beside file."
      ),
      (
        #"{"request": {}, "response": {}, "always": 1}"#,
        "a.stub.json, always: It must be true or false."
      ),
      (
        #"{"request": {}, "response": {}, "always": true, "repeats": 2}"#,
        "a.stub.json, always: It cannot stand beside repeats."
      ),
      (
        #"{"request": {"url": "https://h/", "host": "h"}, "response": {}}"#,
        "a.stub.json, request.host: It cannot stand beside url."
      ),
      (
        #"{"request": {"url": "https://h/"}, "response": {}}"#,
        "a.stub.json, request.method: It is missing beside url."
      ),
      (
        #"{"request": {"query": {"page": 2}}, "response": {}}"#,
        "a.stub.json, request.query.page: It must be a text."
      ),
      (
        #"{"request": {"form": {"page": null}}, "response": {}}"#,
        "a.stub.json, request.form.page: It must be a text."
      ),
    ])
  func invalid(text: String, problem: String) async throws {
    #expect(try await self.problem(text) == problem)
  }

  @Test("An unknown fault and a missing body file are named with what there is")
  func invalidResults() async throws {
    let fault = try await problem(#"{"request": {}, "response": {"fault": "cut"}}"#)
    #expect(
      fault.hasPrefix(
        "a.stub.json, response.fault: There is no such fault. There are hostNotFound, "))
    let file = try await problem(#"{"request": {}, "response": {"file": "no.json"}}"#)
    #expect(file.hasPrefix("a.stub.json, response.file: no.json cannot be read: "))
  }

  @Test(
    "A number that would be changed is refused, and others arrive as they are worth",
    arguments: [
      ("18446744073709551615", true), ("0.12345678901234567890", true),
      ("[1, {\"a\": 1e-400}]", true),
      ("9223372036854775807", false), ("0.1", false), ("1.50", false), ("-1e3", false),
      ("[]", false),
    ])
  func numbers(json: String, isRefused: Bool) async throws {
    let text = #"{"request": {}, "response": {"json": \#(json)}, "optional": true}"#
    #expect(
      try await problem(text)
        == (isRefused
          ? "a.stub.json: It has a number with more digits than a Double; write the body as text, "
            + "or in a file." : ""))
  }

  @Test("Files that are no text, empty, in a link or named alike are told apart")
  func oddFiles() async throws {
    let valid = #"{"request": {}, "response": {"text": "x"}}"#
    #expect(try await problem("") == "a.stub.json: It is not JSON.")
    #expect(try await problem("\u{0}") == "a.stub.json: It is not JSON.")
    #expect(try await problem("[" + valid) == "a.stub.json: It is not JSON.")
    #expect(
      try await problem(String(repeating: "[", count: 100_000)) == "a.stub.json: It is not JSON.")
    try await withFolder(["b.json": valid, "A.stub.json": valid, "a.stub.json": valid]) { folder in
      try FileManager.default.createSymbolicLink(
        atPath: folder + "/c.stub.json", withDestinationPath: "b.json")
      try FileManager.default.createSymbolicLink(
        atPath: folder + "/d.stub.json", withDestinationPath: "d.stub.json")
      try Data([0x7B, 0xFF, 0x7D]).write(to: URL(filePath: folder + "/e.stub.json"))
      let stubs = StubTransport(StubAPIResponse.scripts(in: folder))
      for _ in 0..<3 { try stubs.text("/a") }
      let error = #expect(throws: StubError.self) { try stubs.verify() }
      let lines = error?.description.split(separator: "\n").map { $0.prefix { $0 != ":" } }
      #expect(lines == ["d.stub.json", "e.stub.json"])
    }
  }

  @Test("A file that cannot be opened, an empty folder and a missing one fail the test")
  func unreadable() async throws {
    try await withFolder([:]) { folder in
      try FileManager.default.createDirectory(
        atPath: folder + "/a.stub.json", withIntermediateDirectories: false)
      let stubs = StubTransport(StubAPIResponse.scripts(in: folder))
      let error = #expect(throws: StubError.self) { try stubs.verify() }
      #expect(error?.description.hasPrefix("a.stub.json: It cannot be read: ") == true)
    }
    try await withFolder([:]) { folder in
      let line = #line + 1
      let stubs = StubTransport(StubAPIResponse.scripts(in: folder))
      let error = #expect(throws: StubError.self) { try stubs.verify() }
      #expect(error?.description == "\(folder): The folder has no file *.stub.json.")
      #expect(error?.failures.map(\.location.line) == [UInt(line)])
    }
    let stubs = StubTransport(StubAPIResponse.scripts(in: "NoSuchFolder"))
    let error = #expect(throws: StubError.self) { try stubs.verify() }
    #expect(error?.description.hasPrefix("NoSuchFolder: The folder cannot be read: ") == true)
  }

  @Test("A file that cannot be read answers nothing, and is no stub of a report")
  func noAnswer() async throws {
    try await withFolder(["a.stub.json": "{"]) { folder in
      let stubs = StubTransport(StubAPIResponse.scripts(in: folder))
      let error = #expect(throws: StubError.self) { try stubs.text("/a") }
      #expect(error?.description.contains("There are no stubs.") == true)
      #expect(stubs.unusedStubs.isEmpty)
    }
  }
}
