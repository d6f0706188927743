extension SuiteCase {
  static let fields = stored + dropped + updated + ages

  private static let stored: [SuiteCase] =
    [
      "Test-Header: first", "X-Test-Header: first", "Content-Foo: first", "X-Content-Foo: first",
      "Content-Encoding: first", "Content-Location: /elsewhere",
      "Content-MD5: 1B2M2Y8AsgTpgAmY7PhCfg==", "Content-Range: first",
      "Content-Security-Policy: img-src 'self' img.example.com",
      "Content-Type: text/plain;charset=utf-8", #"Clear-Site-Data: "storage""#, #"ETag: "v1""#,
      "Expires: Fri, 22 Jan 2038 10:00:00 GMT", "Public-Key-Pins: first", "Set-Cookie: size=1",
      "Set-Cookie2: size=1", "X-Frame-Options: sameorigin", "X-XSS-Protection: 1; mode=block",
    ].map { stored($0, ["Cache-Control: max-age=600"]) }
    + [
      stored("Cache-Control: max-age=600"),
      stored("Content-Length: 10", ["Cache-Control: max-age=600"], body: "0123456789 and more"),
    ]

  private static func stored(
    _ line: String, _ more: [String] = [], body: String? = nil
  ) -> SuiteCase {
    .required(
      "headers-store-\(name(line))",
      [
        SuiteStep(["Date: {0}", line] + more, body: body, pause: 3),
        SuiteStep(expect: [.reused, .has(line)]),
      ])
  }

  private static func name(_ line: String) -> String { String(line.prefix { $0 != ":" }) }

  private static let dropped: [SuiteCase] =
    [
      "Connection", "Keep-Alive", "Proxy-Authenticate", "Proxy-Authentication-Info",
      "Proxy-Authorization", "Proxy-Connection", "TE", "Transfer-Encoding", "Upgrade",
    ].map { name in
      .required(
        "headers-store-\(name)",
        [
          SuiteStep(["Date: {0}", "\(name): first", "Cache-Control: max-age=600"], pause: 3),
          SuiteStep(expect: [.reused, .lacks(name)]),
        ])
    }
    + [
      .required(
        "headers-omit-headers-listed-in-Connection",
        [
          SuiteStep(
            [
              "Cache-Control: max-age=600", "Date: {0}", "Connection: red, green", "Red: 1",
              "Green: 2", "Blue: 3",
            ], pause: 3),
          SuiteStep(expect: [.reused, .has("Blue: 3"), .lacks("Red"), .lacks("Green")]),
        ])
    ]

  private static let updated: [SuiteCase] =
    ["Test-Header", "X-Test-Header", "Content-Foo", "X-Content-Foo"].map { name in
      updated("\(name): first", "\(name): second", ["Cache-Control: max-age=2"])
    }
    + [
      updated("Cache-Control: max-age=1", "Cache-Control: max-age=600"),
      .required(
        "304-etag-update-response-Content-Length",
        [
          SuiteStep(
            ["Content-Length: 10", "Cache-Control: max-age=2", #"ETag: "v1""#], body: "0123456789",
            pause: 3),
          SuiteStep(
            ["Content-Length: 36", "Cache-Control: max-age=2", #"ETag: "v1""#],
            expect: [.validated(by: "If-None-Match"), .has("Content-Length: 10")]),
          SuiteStep(expect: [.reused, .has("Content-Length: 10")]),
        ]),
      .required(
        "304-lm-use-stored-Test-Header",
        [
          SuiteStep(
            [
              "Cache-Control: max-age=2", "Last-Modified: Mon, 20 Sep 2021 10:20:30 GMT",
              "Date: {0}", "Test-Header: first",
            ], pause: 3),
          SuiteStep(
            ["Last-Modified: Mon, 20 Sep 2021 10:20:30 GMT", "Date: {0}"],
            expect: [.validated(by: "If-Modified-Since"), .has("Test-Header: first")]),
        ]),
    ]

  private static func updated(
    _ first: String, _ second: String, _ more: [String] = []
  ) -> SuiteCase {
    .required(
      "304-etag-update-response-\(name(first))",
      [
        SuiteStep(["Date: {0}", first, #"ETag: "v1""#] + more, pause: 3),
        SuiteStep(
          ["Date: {0}", second, #"ETag: "v1""#] + more,
          expect: [.validated(by: "If-None-Match"), .has(second)]),
        SuiteStep(expect: [.reused, .has(second)]),
      ])
  }

  private static let fresh = ["Cache-Control: max-age=600", "Date: {0}"]

  private static let ages: [SuiteCase] = [
    aged("gen", fresh, [.olderThan(2)]),
    aged("update-expires", ["Expires: {86400}", "Date: {0}", "Age: 30"], [.olderThan(32)]),
    aged("update-max-age", fresh + ["Age: 30"], [.olderThan(32)]),
    .required("other-date-update", [SuiteStep(fresh, pause: 3), dated]),
    .required(
      "other-date-update-expires", [SuiteStep(["Expires: {86400}", "Date: {0}"], pause: 3), dated]),
    .optional("other-set-cookie", fresh + ["Set-Cookie: size=1"], then: .reused),
    .optional(
      "other-cookie",
      [SuiteStep(fresh, pause: 3), SuiteStep(sending: ["Cookie: size=1"], expect: [.reused])]),
  ]

  /// The date of a stored response stays as it was.
  private static let dated = SuiteStep(expect: [.reused, .has("Date: {0}")])

  private static func aged(
    _ name: String, _ fields: [String], _ expected: [SuiteExpectation]
  ) -> SuiteCase {
    .required(
      "other-age-\(name)",
      [SuiteStep(fields, pause: 3), SuiteStep(expect: [.reused] + expected)])
  }
}
