#if os(Linux)
  import CCurl
  import Fixtures
  import Foundation
  import Testing

  @testable import HTTPTransport
  @testable import RESTKit

  @Suite("The addresses in a transport's options")
  struct AddressOptionTests {
    private func detail(
      _ addresses: AddressPolicy, _ proxy: ProxyPolicy = .environment
    ) throws -> String {
      let fault = #expect(throws: TransportError.self) {
        _ = try CurlTransport(proxy: proxy, addresses: addresses)
      }
      fault?.expectTrueWord()
      #expect(fault?.kind == .invalidOptions)
      return try #require(fault?.detail)
    }

    private func detail(_ host: String, _ port: Int, _ addresses: [String]) throws -> String {
      try detail(.fixed([HostAddresses(host: host, port: port, addresses: addresses)]))
    }

    private func addresses(
      _ policy: AddressPolicy, _ proxy: ProxyPolicy = .environment
    ) throws -> CurlAddresses {
      try CurlAddresses(policy, proxy, library: .load())
    }

    // MARK: Unix sockets

    @Test(
      "An invalid socket path is named, with the remedy",
      arguments: [
        ("", "the path is empty; give the socket's"),
        ("docker.sock", "the path docker.sock is not absolute; give the whole path"),
        ("@docker", "the path @docker is not absolute; give the whole path"),
        ("/run/\0", "the path has a NUL character; leave it out"),
        (
          "/" + String(repeating: "a", count: 107),
          "the path has 108 bytes, and a socket's has 107 at most; use a shorter one, or a symbolic"
            + " link"
        ),
        (
          "/" + String(repeating: "ü", count: 54),
          "the path has 109 bytes, and a socket's has 107 at most; use a shorter one, or a symbolic"
            + " link"
        ),
      ] as [(String, String)])
    func paths(path: String, words: String) throws {
      #expect(try detail(.unixSocket(path)) == "AddressPolicy.unixSocket: \(words)")
    }

    @Test("A valid socket path is accepted, whether or not the socket exists")
    func path() throws {
      let longest = "/" + String(repeating: "a", count: 106)
      for path in ["/a", "/run/with a blank.sock", longest] {
        for proxy in [ProxyPolicy.environment, .none] {
          let taken = try addresses(.unixSocket(path), proxy)
          #expect(taken.socketPath == path)
          #expect(taken.lines == [])
        }
      }
    }

    @Test("A proxy together with a socket is refused, and both are named")
    func proxy() throws {
      let server = ProxyServer(try #require(URL(string: "http://127.0.0.1:1")))
      let words = try detail(.unixSocket("/run/a.sock"), .proxy(server))
      #expect(words.hasPrefix("AddressPolicy.unixSocket and ProxyPolicy.proxy exclude each other"))
      #expect(words.hasSuffix("leave one of them out"))
      let host = HostAddresses(host: "a.example", port: 80, addresses: ["192.0.2.7"])
      #expect(try addresses(.fixed([host]), .proxy(server)).lines.count == 1)
    }

    // MARK: Fixed addresses

    @Test(
      "An invalid host is named by its place",
      arguments: [
        "a:b", "a,b", "::1", "[::1]", "*", "+a", "-a", "a b", "a\0", "a/b", "a@b", "bücher.example",
        String(repeating: "a", count: 254),
      ])
    func hosts(host: String) throws {
      let words = try detail(host, 443, ["192.0.2.7"])
      #expect(words.hasPrefix("AddressPolicy.fixed[0].host is not a host's name"))
      #expect(words.contains("xn--"))
    }

    @Test(
      "Other faults of an entry are named, with the remedy",
      arguments: [
        ("", 443, ["192.0.2.7"], "host is empty; give the host of URLs"),
        ("a", 0, ["192.0.2.7"], "port is 0; give one from 1 to 65535"),
        ("a", -1, ["192.0.2.7"], "port is -1; give one from 1 to 65535"),
        ("a", 65_536, ["192.0.2.7"], "port is 65536; give one from 1 to 65535"),
        ("a", 443, [], "addresses is empty; give one address, or several"),
        ("a", 443, ["192.0.2.7", "\0"], "addresses[1] has a NUL character; leave it out"),
      ] as [(String, Int, [String], String)])
    func entries(host: String, port: Int, addresses: [String], words: String) throws {
      #expect(try detail(host, port, addresses) == "AddressPolicy.fixed[0].\(words)")
    }

    @Test(
      "An invalid address is named by its place",
      arguments: [
        "", "192.0.2", "192.0.2.256", "192.0.2.7:80", " 192.0.2.7", "[2001:db8::7]", "fe80::1%eth0",
        "other.example",
      ])
    func notAddresses(address: String) throws {
      #expect(
        try detail("a", 443, ["2001:db8::7", address])
          == "AddressPolicy.fixed[0].addresses[1] is not an IPv4 or IPv6 address; write it as 192.0.2.7 or"
          + " 2001:db8::7, without brackets, port or zone")
    }

    @Test("Two entries of one host and port are named, in any case of their letters")
    func twice() throws {
      let hosts = [("a.example", 443), ("a.example", 80), ("A.Example", 443)].map {
        HostAddresses(host: $0.0, port: $0.1, addresses: ["192.0.2.7"])
      }
      #expect(try addresses(.fixed(Array(hosts.dropLast()))).lines.count == 2)
      #expect(
        try detail(.fixed(hosts))
          == "AddressPolicy.fixed[2] has the host and port of AddressPolicy.fixed[0]; merge the two"
      )
    }

    @Test("Valid entries are passed to libcurl in its syntax, and never expire")
    func lines() throws {
      let taken = try addresses(
        .fixed([
          HostAddresses(
            host: "API_2.ex-ample.com", port: 65_535,
            addresses: ["192.0.2.7", "2001:db8::7", "::ffff:192.0.2.7"]),
          HostAddresses(host: "b", port: 1, addresses: ["::1"]),
        ]))
      #expect(
        taken.lines == [
          "api_2.ex-ample.com:65535:192.0.2.7,[2001:db8::7],[::ffff:192.0.2.7]", "b:1:[::1]",
        ])
      #expect(taken.socketPath == nil)
      let longest = HostAddresses(
        host: String(repeating: "a", count: 253), port: 80, addresses: ["192.0.2.7"])
      #expect(try addresses(.fixed([longest])).lines.count == 1)
      for policy in [AddressPolicy.system, .fixed([])] {
        let none = try addresses(policy)
        #expect(none.lines == [] && none.socketPath == nil)
      }
    }

    // MARK: Features of libcurl

    @Test("A libcurl without unix sockets, or without IPv6, is named if they are needed")
    func unable() throws {
      let bits: [(Int32, AddressPolicy, String)] = [
        (1 << 19, .unixSocket("/run/a.sock"), "AddressPolicy.unixSocket needs a libcurl with"),
        (
          1, .fixed([HostAddresses(host: "a", port: 1, addresses: ["::1"])]),
          "AddressPolicy.fixed[0].addresses[0] needs a libcurl with IPv6"
        ),
      ]
      let ipv4 = AddressPolicy.fixed([HostAddresses(host: "a", port: 1, addresses: ["192.0.2.7"])])
      for (bit, policy, words) in bits {
        let unable = try CurlLibrary.posing()
        UnsafeMutablePointer(mutating: unable.api).pointee.features &= ~bit
        let fault = #expect(throws: TransportError.self) {
          _ = try CurlAddresses(policy, .none, library: unable)
        }
        #expect(fault?.kind == .invalidOptions)
        #expect(fault?.detail.hasPrefix(words) == true)
        #expect(try CurlAddresses(ipv4, .none, library: unable).lines.count == 1)
      }
    }
  }
#endif
