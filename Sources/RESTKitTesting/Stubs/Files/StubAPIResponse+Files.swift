import Foundation
import RESTKit

extension StubAPIResponse {
  /// The end of the names of files that are scripts.
  private static let fileSuffix = ".stub.json"

  /// Reads the scripts of a folder: one of each file whose name ends with `.stub.json`, in the
  /// order of their names.
  ///
  /// ```swift
  /// let stubs = StubTransport(StubAPIResponse.scripts(in: "Stubs/orders"))
  /// ```
  ///
  /// A file is a response with its request, as a JSON object, or an array of them that is a
  /// sequence. `file` names a file beside it that is the body:
  ///
  /// ```json
  /// {
  ///   "request": {"method": "GET", "url": "https://shop.example.com/v1/orders/7"},
  ///   "response": {"status": 200, "headers": {"ETag": "\"1\""}, "file": "order.json"}
  /// }
  /// ```
  ///
  /// The guide Docs/Testing.md lists all members. What cannot be read fails the test with a
  /// ``StubFileError`` that names the file and the member, whether a request asks for it or not.
  ///
  /// - Parameters:
  ///   - folder: The path of the folder. A relative path starts at the folder of the test's source
  ///     file. Folders inside of it are not read.
  ///   - fileID: The module and file of the call, for reports.
  ///   - filePath: The path of the file.
  ///   - line: The line of the call.
  ///   - column: The column of the call.
  public static func scripts(
    in folder: String, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) -> [StubAPIResponse] {
    let location = StubLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    let url = RecordingFile(folder, besides: "\(filePath)").url
    do {
      let names = try FileManager.default.contentsOfDirectory(atPath: url.path)
        .filter { $0.hasSuffix(fileSuffix) }.sorted()
      guard !names.isEmpty else {
        throw StubFileError(
          path: folder, member: nil, reason: "The folder has no file *\(fileSuffix).")
      }
      return names.map { name in
        do throws(StubFileError) {
          return try StubAPIResponse(steps: StubFile(name, in: url).steps(at: location))
        } catch {
          return .unreadable(error, at: location)
        }
      }
    } catch let error as StubFileError {
      return [unreadable(error, at: location)]
    } catch {
      return [
        unreadable(
          StubFileError(
            path: folder, member: nil, reason: "The folder cannot be read: \(error.readable)"),
          at: location)
      ]
    }
  }

  /// Returns a script that answers nothing and fails its test.
  private static func unreadable(
    _ error: StubFileError, at location: StubLocation
  ) -> StubAPIResponse {
    var step = StubStep(
      request: StubRequest(), statusCode: 200, headers: [:], result: .failure(error), delay: .zero,
      location: location)
    step.uses = 0...0
    return StubAPIResponse(steps: [step])
  }
}

extension Error {
  /// The text of Foundation's errors.
  fileprivate var readable: String { localizedDescription }
}

/// A file of a script.
private struct StubFile {
  private let name: String
  private let folder: URL

  init(_ name: String, in folder: URL) {
    self.name = name
    self.folder = folder
  }

  func steps(at location: StubLocation) throws(StubFileError) -> [StubStep] {
    let json = try json()
    guard case .array(let elements) = json else {
      return [try step(json, at: "", source: name, location: location)]
    }
    guard !elements.isEmpty else { throw error("It must have a response.") }
    var steps: [StubStep] = []
    for (index, element) in elements.enumerated() {
      steps.append(
        try step(
          element, at: "[\(index)]", source: "\(name), response \(index + 1)", location: location))
    }
    return steps
  }

  private func json() throws(StubFileError) -> JSONValue {
    let data: Data
    do { data = try Data(contentsOf: folder.appending(path: name)) } catch {
      throw self.error("It cannot be read: \(error.readable)")
    }
    let json: JSONValue
    do { json = try JSONDecoder().decode(JSONValue.self, from: data) } catch {
      throw self.error("It is not JSON.")
    }
    guard let kept = try? JSONEncoder().encode(json), StubJSON(kept) == StubJSON(data) else {
      throw self.error(
        "It has a number with more digits than a Double; write the body as text, or in a file.")
    }
    return json
  }

  private func error(_ reason: String) -> StubFileError {
    StubFileError(path: name, member: nil, reason: reason)
  }

  private func step(
    _ json: JSONValue, at place: String, source: String, location: StubLocation
  ) throws(StubFileError) -> StubStep {
    let mapping = try StubFileObject(
      json, at: place, of: name, names: ["request", "response", "repeats", "always", "optional"])
    guard let request = try mapping.object("request", names: StubRequest.fileNames) else {
      throw mapping.error("request", "It is missing.")
    }
    guard let response = try mapping.object("response", names: StubStep.fileNames) else {
      throw mapping.error("response", "It is missing.")
    }
    var step = StubStep(
      request: try StubRequest(request),
      statusCode: try response.integer("status", in: 100...999) ?? 200,
      headers: try Self.headers(of: response), result: try result(of: response),
      delay: try response.seconds("delay"), location: location, source: source)
    let count = try mapping.integer("repeats", in: 1...1_000_000)
    let isAlways = try mapping.flag("always")
    if isAlways, count != nil {
      throw mapping.error("always", "It cannot stand beside repeats.")
    }
    step.uses = (count ?? 1)...(isAlways ? Int.max : count ?? 1)
    if try mapping.flag("optional") { step.uses = 0...step.uses.upperBound }
    return step
  }

  private static func headers(of response: StubFileObject) throws(StubFileError) -> HTTPHeaders {
    guard let fields = try response.object("headers") else { return [:] }
    var headers: [(name: String, value: String)] = []
    for name in fields.names {
      let values = fields[name]?.array ?? [fields[name] ?? .null]
      for value in values {
        guard let text = value.string else {
          throw fields.error(name, "It must be a text, or an array of texts.")
        }
        headers.append((name: name, value: text))
      }
    }
    return HTTPHeaders(headers)
  }

  private func result(
    of response: StubFileObject
  ) throws(StubFileError) -> Result<Data, any Error> {
    let given = ["fault", "file", "json", "text"].filter { response[$0] != nil }
    guard given.count < 2 else {
      throw response.error(given[1], "It cannot stand beside \(given[0]).")
    }
    if let text = try response.string("text") { return .success(Data(text.utf8)) }
    if let text = response.text(ofJSON: "json") { return .success(Data(text.utf8)) }
    if let path = try response.string("file") {
      do { return .success(try Data(contentsOf: folder.appending(path: path))) } catch {
        throw response.error("file", "\(path) cannot be read: \(error.readable)")
      }
    }
    guard let name = try response.string("fault") else { return .success(Data()) }
    guard let fault = StubFault.allCases.first(where: { "\($0)" == name }) else {
      let names = StubFault.allCases.map { "\($0)" }.joined(separator: ", ")
      throw response.error("fault", "There is no such fault. There are \(names).")
    }
    return .fault(fault)
  }
}

extension StubStep {
  /// The members of a response in a file.
  fileprivate static let fileNames = [
    "status", "headers", "file", "json", "text", "fault", "delay",
  ]
}

extension StubRequest {
  /// The members of a request in a file.
  fileprivate static let fileNames = [
    "method", "url", "scheme", "host", "path", "query", "headers", "json", "jsonContaining", "form",
    "text",
  ]

  fileprivate init(_ json: StubFileObject) throws(StubFileError) {
    let method = try json.string("method").map(HTTPMethod.init(rawValue:))
    if let url = try json.string("url") {
      for part in ["scheme", "host", "path"] where json[part] != nil {
        throw json.error(part, "It cannot stand beside url.")
      }
      guard let method else { throw json.error("method", "It is missing beside url.") }
      self.init(method, urlString: url)
    } else {
      self.init(
        method, scheme: try json.string("scheme"), host: try json.string("host"),
        path: try json.string("path"))
    }
    for (name, value) in try Self.texts(json.object("query")) {
      self = value.map { query(containing: [name: $0]) } ?? withoutQuery(name)
    }
    for (name, value) in try Self.texts(json.object("headers")) {
      self = value.map { header(name, $0) } ?? withoutHeader(name)
    }
    if let text = json.text(ofJSON: "json") { self = jsonBody(text) }
    if let text = json.text(ofJSON: "jsonContaining") { self = jsonBody(containing: text) }
    for (name, value) in try Self.texts(json.object("form")) {
      guard let value else { throw json.error("form.\(name)", "It must be a text.") }
      self = formBody(containing: [name: value])
    }
    if let text = try json.string("text") { self = body(Data(text.utf8)) }
  }

  /// Returns members that are texts, or null.
  private static func texts(
    _ fields: StubFileObject?
  ) throws(StubFileError) -> [(String, String?)] {
    guard let fields else { return [] }
    var texts: [(String, String?)] = []
    for name in fields.names {
      texts.append((name, fields[name] == .null ? nil : try fields.string(name)))
    }
    return texts
  }
}
