extension SuiteCase {
  static let selection = vary + varyStar + normalized + conditional + query + partial

  private static let vary: [SuiteCase] = [
    .optional("vary-match", vary("Size", ["Size: 1"], ["Size: 1"], .reused)),
    .required("vary-no-match", vary("Size", ["Size: 1"], ["Size: 2"], .forwarded)),
    .required("vary-omit-stored", vary("Size", [], ["Size: 1"], .forwarded)),
    .required("vary-omit", vary("Size", ["Size: 1"], [], .forwarded)),
    .optional(
      "vary-invalidate",
      [
        SuiteStep(sending: ["Size: 1"], varying("Size")),
        SuiteStep(sending: ["Size: 2"], varying("Size"), expect: [.forwarded]),
        SuiteStep(sending: ["Size: 1"], expect: [.reused, .has("Step: 1")]),
      ]),
    .optional(
      "vary-cache-key", vary("Size", ["Size: 1", "Hue: 2"], ["Size: 1", "Hue: 3"], .reused)),
    .optional(
      "vary-2-match",
      vary("Size, Color", ["Size: 1", "Color: red"], ["Size: 1", "Color: red"], .reused)),
    .required(
      "vary-2-no-match",
      vary("Size, Color", ["Size: 1", "Color: red"], ["Size: 2", "Color: red"], .forwarded)),
    .required(
      "vary-2-match-omit", vary("Size, Color", ["Size: 1", "Color: red"], [], .forwarded)),
    .optional("vary-3-match", vary("Size, Color, Cut", three, three, .reused)),
    .required(
      "vary-3-no-match",
      vary("Size, Color, Cut", three, ["Size: 2"] + three.dropFirst(), .forwarded)),
    .required(
      "vary-3-order",
      vary("Size, Color, Cut", three, ["Size: 1", "Cut: slim", "Color: green"], .forwarded)),
    .optional(
      "vary-3-omit",
      vary("Size, Color, Cut", ["Size: 1", "Cut: slim"], ["Size: 1", "Cut: slim"], .reused)),
    .required("vary-star", vary("*", ["Size: 1"], ["Size: 1"], .forwarded)),
  ]

  private static let three = ["Size: 1", "Color: red", "Cut: slim"]

  private static func varying(_ names: String...) -> [String] {
    ["Cache-Control: max-age=600", "Last-Modified: {-3600}", "Date: {0}"]
      + names.map { "Vary: \($0)" }
  }

  private static func vary(
    _ names: String, _ first: [String], _ second: [String], _ expectation: SuiteExpectation,
    _ more: [String] = []
  ) -> [SuiteStep] {
    [
      SuiteStep(sending: first, varying(names) + more),
      SuiteStep(sending: second, expect: [expectation]),
    ]
  }

  private static let varyStar: [SuiteCase] = [
    star("star", "*"), star("star-star", "*, *"), star("star-star-lines", "*", "*"),
    star("empty-star", ", *"), star("empty-star-lines", "", "*"), star("star-foo", "*, Size"),
    star("foo-star", "Size, *"),
  ]

  private static func star(_ name: String, _ values: String...) -> SuiteCase {
    let lines = ["Cache-Control: max-age=600", "Last-Modified: {-3600}", "Date: {0}"]
    return .required(
      "vary-syntax-\(name)",
      [
        SuiteStep(sending: three, lines + values.map { "Vary: \($0)" }),
        SuiteStep(sending: three, expect: [.forwarded]),
      ])
  }

  private static let normalized: [SuiteCase] = [
    // Two fields of a request are one line when a transport gets them.
    .optional("vary-normalise-combine", vary("Size", ["Size: 1, 2"], ["Size: 1, 2"], .reused)),
    language("lang-order", "da, fr"), language("lang-case", "fR, Da"),
    language("lang-space", " fr ,   da"),
    .optional(
      "vary-normalise-lang-select",
      vary(
        "Accept-Language", ["Accept-Language: fr, da"], ["Accept-Language: es;q=0.5, da;q=1.0"],
        .reused, ["Content-Language: da"])),
    .optional("vary-normalise-space", vary("Size", ["Size: 1,2"], ["Size:  1, 2 "], .reused)),
  ]

  private static func language(_ name: String, _ value: String) -> SuiteCase {
    .optional(
      "vary-normalise-\(name)",
      vary("Accept-Language", ["Accept-Language: fr, da"], ["Accept-Language: \(value)"], .reused))
  }

  private static let conditional: [SuiteCase] = [
    .required(
      "conditional-etag-vary-headers",
      [
        SuiteStep(
          sending: ["Size: 1"], ["Expires: {1}", #"ETag: "v1""#, "Date: {0}", "Vary: Size"],
          pause: 3),
        SuiteStep(
          sending: ["Size: 1"], expect: [.validated(by: "If-None-Match"), .sends("Size: 1")]),
      ]),
    generated("strong-generate", #""v1""#),
    generated("weak-generate-weak", #"W/"v1""#),
  ]

  private static func generated(_ name: String, _ tag: String) -> SuiteCase {
    .optional(
      "conditional-etag-\(name)",
      [
        SuiteStep(["Cache-Control: max-age=2", "Date: {0}", "ETag: \(tag)"], pause: 3),
        SuiteStep(expect: [.validated(by: "If-None-Match"), .sends("If-None-Match: \(tag)")]),
      ])
  }

  private static let query: [SuiteCase] = [
    .required("query-args-different", query("page=1", "page=2", .forwarded)),
    .optional("query-args-same", query("page=2", "page=2", .reused)),
  ]

  private static func query(
    _ first: String, _ second: String, _ expectation: SuiteExpectation
  ) -> [SuiteStep] {
    [
      SuiteStep(query: first, ["Cache-Control: max-age=600", "Date: {0}"], pause: 3),
      SuiteStep(query: second, expect: [expectation]),
    ]
  }

  private static let partial: [SuiteCase] = [
    part("complete-reuse-partial", "0-1", "01"),
    part("complete-reuse-partial-no-last", "1-", "123456789A"),
    part("complete-reuse-partial-suffix", "-1", "A"),
    partOfPart("partial-reuse-partial", "-5", "56789"),
    partOfPart("partial-reuse-partial-byterange", "6-8", "678"),
    partOfPart("partial-reuse-partial-absent", "6-", "6789"),
    partOfPart("partial-reuse-partial-suffix", "-1", "9"),
    .optional(
      "partial-store-partial-complete",
      [
        SuiteStep(
          sending: ["Range: bytes=0-4"], status: 206,
          ["Cache-Control: max-age=600", "Content-Range: bytes 0-4/10"], body: "01234"),
        SuiteStep(expect: [.sends("Range: bytes=5-")]),
      ]),
    .required("partial-use-headers", partWithFields),
    .required("partial-use-stored-headers", partWithFields),
  ]

  private static let whole = SuiteStep(
    ["Cache-Control: max-age=600", "Edition: 1"], body: "0123456789A")

  private static func part(_ name: String, _ range: String, _ text: String) -> SuiteCase {
    .optional(
      "partial-store-\(name)",
      [
        whole,
        SuiteStep(
          sending: ["Range: bytes=\(range)"], expect: [.reused, .status(206), .text(text)]),
      ])
  }

  private static func partOfPart(_ name: String, _ range: String, _ text: String) -> SuiteCase {
    .optional(
      "partial-store-\(name)",
      [
        SuiteStep(
          sending: ["Range: bytes=-5"], status: 206,
          ["Cache-Control: max-age=600", "Content-Range: bytes 5-9/10"], body: "56789"),
        SuiteStep(
          sending: ["Range: bytes=\(range)"], expect: [.reused, .status(206), .text(text)]),
      ])
  }

  private static let partWithFields = [
    whole,
    SuiteStep(
      sending: ["Range: bytes=0-1"], ["Edition: 2"],
      expect: [.reused, .status(206), .text("01"), .has("Edition: 1")]),
  ]
}
