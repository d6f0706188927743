extension SuiteCase {
  static let storage = directives + stale + heuristic + statuses + invalidation + method

  private static let directives: [SuiteCase] = [
    .optional(
      "cc-resp-private-private", ["Cache-Control: private, max-age=600"], after: 0, then: .reused),
    .required("cc-resp-no-store", ["Cache-Control: no-store"], after: 0, then: .forwarded),
    .required(
      "cc-resp-no-store-case-insensitive", ["Cache-Control: nO-stORe"], after: 0, then: .forwarded),
    .required(
      "cc-resp-no-store-fresh",
      ["Cache-Control: max-age=600, no-store", "Expires: {600}", "Date: {0}"], after: 0,
      then: .forwarded),
    kept("cc-resp-no-store-old-new", beside: "no-store"),
    kept("cc-resp-no-store-old-max-age", beside: "no-store, max-age=0"),
    .required(
      "cc-resp-no-cache", ["Cache-Control: max-age=600, no-cache", "Expires: {600}", "Date: {0}"],
      after: 0, then: .forwarded),
    .required(
      "cc-resp-no-cache-case-insensitive",
      ["Cache-Control: max-age=600, nO-cAChe", "Expires: {600}", "Date: {0}"], after: 0,
      then: .forwarded),
    .optional(
      "cc-resp-no-cache-revalidate", ["Cache-Control: no-cache", #"ETag: "v1""#], after: 0,
      then: .validated(by: "If-None-Match")),
    .optional(
      "cc-resp-no-cache-revalidate-fresh",
      ["Cache-Control: max-age=600, no-cache", "Expires: {600}", "Date: {0}", #"ETag: "v1""#],
      after: 0, then: .validated(by: "If-None-Match")),
    .optional(
      "cc-resp-must-revalidate-fresh",
      ["Cache-Control: max-age=600, must-revalidate", #"ETag: "v1""#], after: 0, then: .reused),
    .required(
      "cc-resp-must-revalidate-stale",
      [
        SuiteStep(["Cache-Control: max-age=2, must-revalidate", #"ETag: "v1""#]),
        SuiteStep([#"ETag: "v1""#], pause: 3, expect: [.reused]),
        SuiteStep(expect: [.validated(by: "If-None-Match")]),
      ]),
    .optional(
      "cc-resp-immutable-fresh",
      [
        SuiteStep(["Cache-Control: max-age=600, immutable", #"ETag: "v1""#], pause: 3),
        SuiteStep(revalidated: true, expect: [.reused]),
      ]),
    .required(
      "cc-resp-immutable-stale",
      [
        SuiteStep(["Cache-Control: max-age=2, immutable", #"ETag: "v1""#], pause: 3),
        SuiteStep(
          revalidated: true,
          expect: [.validated(by: "If-None-Match"), .sends("Cache-Control: max-age=0")]),
      ]),
  ]

  /// A fresh response stays in use, whatever a later response would forbid.
  private static func kept(_ id: String, beside directives: String) -> SuiteCase {
    .required(
      id,
      [
        SuiteStep(
          ["Cache-Control: max-age=600", "Expires: {600}", "Date: {0}", "Edition: 1"], pause: 3),
        SuiteStep(["Cache-Control: \(directives)", "Date: {0}", "Edition: 2"], pause: 3),
        SuiteStep(expect: [.reused, .has("Edition: 1")]),
      ])
  }

  private static let stale: [SuiteCase] = [
    .optional(
      "stale-while-revalidate",
      ["Cache-Control: max-age=1, stale-while-revalidate=600", #"ETag: "v1""#], then: .reused),
    .required(
      "stale-while-revalidate-window",
      [
        SuiteStep(
          ["Cache-Control: max-age=1, stale-while-revalidate=4", #"ETag: "v1""#], pause: 3),
        SuiteStep(["Cache-Control: no-cache", #"ETag: "v2""#], pause: 3, expect: [.reused]),
        SuiteStep(expect: [.forwarded]),
      ]),
    closed("must-revalidate"),
    closed("no-cache"),
  ]

  /// No stale response stands in for a connection that fails.
  private static func closed(_ directive: String) -> SuiteCase {
    .required(
      "stale-close-\(directive)",
      [
        SuiteStep(["Cache-Control: max-age=2, \(directive)"], pause: 3),
        SuiteStep(hangsUp: true, expect: [.failed]),
      ])
  }

  private static let heuristic: [SuiteCase] =
    [200, 203, 204, 404, 405, 410, 414, 501].map {
      .optional("heuristic-\($0)-cached", heuristic($0, then: .reused))
    }
    + [201, 202, 403, 502, 503, 504, 599].map {
      .required("heuristic-\($0)-not_cached", heuristic($0, then: .forwarded))
    }
    + [
      .optional(
        "heuristic-599-cached", heuristic(599, ["Cache-Control: public"], then: .reused))
    ]

  private static func heuristic(
    _ status: Int, _ more: [String] = [], then expectation: SuiteExpectation
  ) -> [SuiteStep] {
    [
      SuiteStep(status: status, ["Last-Modified: {-86400}", "Date: {0}"] + more),
      SuiteStep(status: status, expect: [expectation, .status(status)]),
    ]
  }

  private static let statuses: [SuiteCase] =
    [200, 203, 204, 299, 400, 404, 410, 499, 500, 502, 503, 504, 599].flatMap { status in
      [
        .optional(
          "status-\(status)-fresh",
          [
            SuiteStep(status: status, ["Cache-Control: max-age=600", "Date: {0}"], pause: 3),
            SuiteStep(status: status, expect: [.reused, .status(status)]),
          ]),
        .required(
          "status-\(status)-stale",
          [
            SuiteStep(
              status: status, ["Expires: {-600}", "Last-Modified: {-86400}", "Date: {0}"],
              pause: 3),
            SuiteStep(expect: [.forwarded, .status(200)]),
          ]),
      ]
    } + [understood(599, .forwarded), understood(200, .reused)]

  private static func understood(_ status: Int, _ expectation: SuiteExpectation) -> SuiteCase {
    SuiteCase(
      kind: status == 200 ? .optional : .required, id: "status-\(status)-must-understand",
      steps: [
        SuiteStep(
          status: status, ["Cache-Control: max-age=600, no-store, must-understand"]),
        SuiteStep(expect: [expectation]),
      ])
  }

  private static let invalidation: [SuiteCase] = ["POST", "PUT", "DELETE", "M-SEARCH"]
    .flatMap { method in
      [
        .required("invalidate-\(method)", changed(by: method, status: 200, then: .forwarded)),
        .optional("invalidate-\(method)-failed", changed(by: method, status: 500, then: .reused)),
      ]
    }

  private static func changed(
    by method: String, status: Int, then expectation: SuiteExpectation
  ) -> [SuiteStep] {
    [
      SuiteStep(["Cache-Control: max-age=600", "Date: {0}"], pause: 3),
      SuiteStep(method: method, status: status, expect: [.status(status)]),
      SuiteStep(expect: [expectation]),
    ]
  }

  private static let method: [SuiteCase] = [
    .optional(
      "method-POST",
      [
        SuiteStep(
          method: "POST",
          ["Cache-Control: max-age=600", "Content-Location: /method-POST", "Date: {0}"],
          pause: 3),
        SuiteStep(expect: [.reused]),
      ])
  ]
}
