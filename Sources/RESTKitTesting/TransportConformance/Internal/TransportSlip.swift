/// A violation of a rule by a transport.
struct TransportSlip: Error {
  let expected: String
  let seen: String
}
