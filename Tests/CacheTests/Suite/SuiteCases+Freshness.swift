extension SuiteCase {
  static let freshness = maxAge + age + expires + expiresSyntax

  private static let maxAge: [SuiteCase] = [
    .optional("freshness-max-age", ["Cache-Control: max-age=3600"], then: .reused),
    .required(
      "freshness-max-age-stale", ["Cache-Control: max-age=2", "Date: {0}"], then: .forwarded),
    .required("freshness-max-age-0", ["Cache-Control: max-age=0"], then: .forwarded),
    .optional(
      "freshness-max-age-max-minus-1", ["Cache-Control: max-age=2147483647"], then: .reused),
    .optional("freshness-max-age-max", ["Cache-Control: max-age=2147483648"], then: .reused),
    .optional("freshness-max-age-max-plus-1", ["Cache-Control: max-age=2147483649"], then: .reused),
    .optional("freshness-max-age-max-plus", ["Cache-Control: max-age=99999999999"], then: .reused),
    .required(
      "freshness-max-age-age", ["Date: {0}", "Cache-Control: max-age=600", "Age: 900"],
      then: .forwarded),
    .optional(
      "freshness-max-age-expires", ["Cache-Control: max-age=600", "Expires: {-900}", "Date: {0}"],
      then: .reused),
    .optional(
      "freshness-max-age-expires-invalid",
      ["Cache-Control: max-age=600", "Expires: 0", "Date: {0}"], then: .reused),
    .required(
      "freshness-max-age-0-expires", ["Expires: {600}", "Cache-Control: max-age=0", "Date: {0}"],
      then: .forwarded),
    .optional("freshness-max-age-extension", ["Cache-Control: green, max-age=600"], then: .reused),
    .optional("freshness-max-age-case-insenstive", ["Cache-Control: mAx-AgE=600"], then: .reused),
    .required("freshness-max-age-negative", ["Cache-Control: max-age=-600"], then: .forwarded),
    .required(
      "freshness-max-age-s-maxage-private", ["Cache-Control: s-maxage=600, max-age=1"],
      then: .forwarded),
    .required(
      "freshness-max-age-s-maxage-private-multiple",
      ["Cache-Control: s-maxage=600", "Cache-Control: max-age=1"], then: .forwarded),
    .required(
      "freshness-max-age-ignore-quoted", [#"Cache-Control: green="max-age=600", max-age=1"#],
      then: .forwarded),
    .required(
      "freshness-max-age-ignore-quoted-rev", [#"Cache-Control: max-age=1, green="max-age=600""#],
      then: .forwarded),
    .required("freshness-max-age-leading-zero", ["Cache-Control: max-age=00600"], then: .reused),
    .required(
      "freshness-max-age-single-quoted", ["Cache-Control: max-age='600'"], then: .forwarded),
  ]

  private static let age: [SuiteCase] = [
    age("nonnumeric", ["old"], .reused),
    age("negative", ["-900"], .reused),
    age("float", ["900.0"], .reused),
    age("large-minus-one", ["2147483647"], .forwarded),
    age("large", ["2147483648"], .forwarded),
    age("larger", ["2147483649"], .forwarded),
    age("suffix", ["900, 0"], .forwarded),
    age("prefix", ["0, 900"], .reused),
    age("suffix-twoline", ["900", "0"], .forwarded),
    age("prefix-twoline", ["0", "900"], .reused),
    age("dup-0", ["0, 0"], .reused),
    age("dup-0-twoline", ["0", "0"], .reused),
    age("dup-old", ["300", "300"], .reused),
  ]

  private static func age(
    _ name: String, _ values: [String], _ expectation: SuiteExpectation
  ) -> SuiteCase {
    .required(
      "age-parse-\(name)",
      ["Date: {0}", "Cache-Control: max-age=600"] + values.map { "Age: \($0)" }, then: expectation)
  }

  private static let expires: [SuiteCase] = [
    .optional("freshness-expires-future", ["Expires: {86400}", "Date: {0}"], then: .reused),
    .required("freshness-expires-past", ["Expires: {-86400}", "Date: {0}"], then: .forwarded),
    .required(
      "freshness-expires-present", ["Expires: {0}", "Date: {0}"], after: 0, then: .forwarded),
    .required("freshness-expires-old-date", ["Expires: {300}", "Date: {400}"], then: .forwarded),
    .required("freshness-expires-invalid", ["Expires: 0", "Date: {0}"], then: .forwarded),
    .optional(
      "freshness-expires-invalid-date", ["Date: today", "Expires: {10}"], after: 0, then: .reused),
    .required(
      "freshness-expires-age-slow-date", ["Date: {-10}", "Expires: {10}", "Age: 25"], after: 0,
      then: .forwarded),
    .required(
      "freshness-expires-age-fast-date", ["Date: {10}", "Expires: {20}", "Age: 15"], after: 0,
      then: .forwarded),
  ]

  private static let expiresSyntax: [SuiteCase] = [
    .optional(
      "freshness-expires-32bit", ["Expires: Fri, 22 Jan 2038 10:00:00 GMT", "Date: {0}"],
      then: .reused),
    .optional(
      "freshness-expires-far-future", ["Expires: Tue, 20 Nov 2285 10:00:00 GMT", "Date: {0}"],
      then: .reused),
    .optional(
      "freshness-expires-rfc850", ["Expires: Tuesday, 20-Sep-50 10:20:30 GMT", "Date: {0}"],
      then: .reused),
    .optional(
      "freshness-expires-ansi-c", ["Expires: Fri Sep  9 10:20:30 2050", "Date: {0}"],
      then: .reused),
    .optional(
      "freshness-expires-wrong-case-weekday",
      ["Expires: TUE, 20 Sep 2050 10:20:30 GMT", "Date: {0}"], then: .reused),
    .optional(
      "freshness-expires-wrong-case-month",
      ["Expires: Tue, 20 SEP 2050 10:20:30 GMT", "Date: {0}"], then: .reused),
    .optional(
      "freshness-expires-wrong-case-tz", ["Expires: Tue, 20 Sep 2050 10:20:30 gMT", "Date: {0}"],
      then: .reused),
    invalidExpires("utc", "Tue, 20 Sep 2050 10:20:30 UTC"),
    invalidExpires("aest", "Tue, 20 Sep 2050 10:20:30 AEST"),
    invalidExpires("2-digit-year", "Tue, 20 Sep 50 10:20:30 GMT"),
    invalidExpires("no-comma", "Tue 20 Sep 2050 10:20:30 GMT"),
    invalidExpires("multiple-spaces", "Tue, 20  Sep  2050 10:20:30 GMT"),
    invalidExpires("date-dashes", "Tue, 20-Sep-2050 10:20:30 GMT"),
    invalidExpires("time-periods", "Tue, 20 Sep 2050 10.20.30 GMT"),
    invalidExpires("1-digit-hour", "Tue, 20 Sep 2050 1:20:30 GMT"),
    invalidExpires(
      "multiple-lines", "Tue, 20 Sep 2050 1:20:30 GMT", "Tue, 20 Sep 2050 1:20:31 GMT"),
  ]

  private static func invalidExpires(_ name: String, _ values: String...) -> SuiteCase {
    .required(
      "freshness-expires-invalid-\(name)", values.map { "Expires: \($0)" } + ["Date: {0}"],
      then: .forwarded)
  }
}
