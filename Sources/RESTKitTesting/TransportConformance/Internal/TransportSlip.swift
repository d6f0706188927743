/// What a transport did against a rule.
struct TransportSlip: Error {
  let expected: String
  let seen: String
}
