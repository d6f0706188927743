import Foundation

/// Bodies that tests cannot make themselves.
package enum BodyFixtures {
  /// 200,000 zero bytes, packed by gzip, in base 64.
  package static let packedZeros =
    "H4sIAAAAAAACA+3BMQEAAADCoPVPbQZ/oAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
    + "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
    + "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
    + "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAACA1wB7WOBcQA0DAA=="

  /// 64 KiB of zero bytes as one member of gzip, of 96 bytes.
  package static let zerosMember = base64(
    "H4sIAAAAAAACA+3BAQEAAACAkP6v7ggKAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
      + "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAauuOl9cAAAEA")

  /// "hello hello hello", in each form that a server may send it.
  package static let hellos: [(coding: String, bytes: Data)] = [
    ("gzip", base64("H4sIAAAAAAACA8tIzcnJV8hAkACAiPnlEQAAAA==")),
    ("x-gzip", base64("H4sIAAAAAAACA8tIzcnJV8hAkACAiPnlEQAAAA==")),
    ("GZip", base64("H4sIAAAAAAACA8tIzcnJV8hAkACAiPnlEQAAAA==")),
    ("deflate", base64("eNrLSM3JyVfIQJAAOi4GfQ==")),
    ("deflate", base64("y0jNyclXyECQAA==")),
    ("gzip, gzip", base64("H4sIAAAAAAACA5Pv5mAAASbm0x5nT54MP+EwgaGh4+dTQaAYAHs5WBEcAAAA")),
  ]

  private static func base64(_ text: String) -> Data {
    Data(base64Encoded: text) ?? Data()
  }
}
