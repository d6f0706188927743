import Testing

@testable import RESTKit

@Suite("The peer address of a connection, as metrics report it")
struct PeerAddressTests {
  @Test(
    "An address has its port, and a unix socket its path",
    arguments: [
      ("192.0.2.7:443", .internet(address: "192.0.2.7", port: 443)),
      ("[2001:db8::7]:8443", .internet(address: "2001:db8::7", port: 8_443)),
      ("peer:x", .internet(address: "peer", port: nil)),
      ("unix:/run/a.sock", .unixSocket(path: "/run/a.sock")),
      ("unix:/run/a:1.sock", .unixSocket(path: "/run/a:1.sock")), ("192.0.2.7", nil), ("", nil),
    ] as [(String, PeerAddress?)])
  func parts(text: String, address: PeerAddress?) {
    #expect(PeerAddress(text) == address)
  }
}
