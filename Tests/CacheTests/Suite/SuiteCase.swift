/// A case of the public suite for HTTP caches: requests in order, and what is expected of each.
///
/// The ids are those of [http-tests/cache-tests](https://cache-tests.fyi), for the cases that apply
/// to a private cache. Each case is written anew from the rule that its id names.
struct SuiteCase: Sendable {
  enum Kind: String, CaseIterable, Sendable {
    /// The RFC demands it.
    case required
    /// The RFC permits it, and a good cache does it.
    case optional
  }

  let kind: Kind
  let id: String
  let steps: [SuiteStep]

  static func required(_ id: String, _ steps: [SuiteStep]) -> SuiteCase {
    SuiteCase(kind: .required, id: id, steps: steps)
  }

  static func optional(_ id: String, _ steps: [SuiteStep]) -> SuiteCase {
    SuiteCase(kind: .optional, id: id, steps: steps)
  }

  /// The same request twice.
  ///
  /// - Parameters:
  ///   - fields: The fields of the first response.
  ///   - pause: The time between the two, in seconds.
  ///   - expectation: What is expected of the second one.
  static func required(
    _ id: String, _ fields: [String], after pause: Int = 3, then expectation: SuiteExpectation
  ) -> SuiteCase {
    .required(id, twice(fields, pause, expectation))
  }

  static func optional(
    _ id: String, _ fields: [String], after pause: Int = 3, then expectation: SuiteExpectation
  ) -> SuiteCase {
    .optional(id, twice(fields, pause, expectation))
  }

  private static func twice(
    _ fields: [String], _ pause: Int, _ expectation: SuiteExpectation
  ) -> [SuiteStep] {
    [SuiteStep(fields, pause: pause), SuiteStep(expect: [expectation])]
  }
}

/// A request, the server's response to it, and what is expected of them.
///
/// Fields are lines as on the wire. `{7200}` in a response stands for the date that is so many
/// seconds after the response.
struct SuiteStep: Sendable {
  var method = "GET"
  var query: String?
  var request: [String]
  /// Whether the app asks for a validation, as a reload in a browser does.
  var isRevalidated = false
  var status = 200
  var response: [String]
  /// The body of the response; nil for one of its own.
  var body: String?
  /// Whether the server closes the connection instead of a response.
  var hangsUp = false
  /// The time after it, in seconds.
  var pause: Int
  var expected: [SuiteExpectation]

  init(
    method: String = "GET", query: String? = nil, sending request: [String] = [],
    revalidated isRevalidated: Bool = false, status: Int = 200, _ response: [String] = [],
    body: String? = nil, hangsUp: Bool = false, pause: Int = 0,
    expect expected: [SuiteExpectation] = []
  ) {
    self.method = method
    self.query = query
    self.request = request
    self.isRevalidated = isRevalidated
    self.status = status
    self.response = response
    self.body = body
    self.hangsUp = hangsUp
    self.pause = pause
    self.expected = expected
  }

  /// Whether the server confirms what the request's condition names.
  var isValidation: Bool {
    expected.contains { if case .validated = $0 { true } else { false } }
  }
}

enum SuiteExpectation: Sendable {
  /// The response of an earlier step comes, and the server is not asked.
  case reused
  /// The server's response comes.
  case forwarded
  /// The response of an earlier step comes after the server has confirmed it, by this field.
  case validated(by: String)
  /// No response comes.
  case failed
  case status(Int)
  case text(String)
  /// The response has this line.
  case has(String)
  /// The response has no such field.
  case lacks(String)
  /// The response is older, in seconds.
  case olderThan(Int)
  /// The server receives this line.
  case sends(String)
}
