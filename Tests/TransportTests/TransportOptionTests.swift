#if os(Linux)
  import CCurl
  import Fixtures
  import Foundation
  import Testing

  @testable import HTTPTransport
  @testable import RESTKit

  @Suite("Invalid options of a transport")
  struct TransportOptionTests {
    /// A file of its own, gone with it.
    private final class TestFile {
      let url: URL

      init(_ text: String) throws {
        url = FileManager.default.temporaryDirectory.appending(path: "restkit-\(UUID()).pem")
        try Data(text.utf8).write(to: url)
      }

      deinit { try? FileManager.default.removeItem(at: url) }
    }

    private static let certificate =
      "-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n"

    private func detail(
      _ proxy: ProxyPolicy = .environment, _ change: (inout TLSOptions) -> Void = { _ in }
    ) throws -> String {
      var tls = TLSOptions()
      change(&tls)
      let fault = #expect(throws: TransportError.self) {
        _ = try CurlTransport(tls: tls, proxy: proxy)
      }
      #expect(fault?.kind == .invalidOptions)
      #expect(fault?.mayHaveBeenProcessed == false)
      return try #require(fault?.detail)
    }

    @Test("An authority file that is missing, a folder, not PEM or not a file URL is named")
    func authorities() throws {
      let missing = URL(filePath: "/nowhere/ca.pem")
      for authorities in [TLSOptions.Authorities.file(missing), .systemAndFile(missing)] {
        #expect(
          try detail { $0.authorities = authorities }
            == "TLSOptions.authorities: the file /nowhere/ca.pem cannot be read")
      }
      #expect(try detail { $0.authorities = .file(URL(filePath: "/tmp")) }.contains("/tmp"))
      let empty = try TestFile("nothing")
      #expect(
        try detail { $0.authorities = .file(empty.url) }
          == "TLSOptions.authorities: the file \(empty.url.path) has no CERTIFICATE in PEM")
      let remote = try #require(URL(string: "https://example.com/ca.pem"))
      #expect(
        try detail { $0.authorities = .file(remote) }
          == "TLSOptions.authorities: https is not a file URL")
      let relative = try #require(URL(string: "ca.pem"))
      #expect(
        try detail { $0.authorities = .file(relative) }
          == "TLSOptions.authorities: it is not a file URL")
    }

    @Test("An authority file that cannot be written is reported, and leaves nothing")
    func noFolder() throws {
      let fault = #expect(throws: TransportError.self) {
        try CurlAuthorityFile(contents: Data("x".utf8), in: "/nowhere")
      }
      fault?.expectTrueWord()
      #expect(fault?.kind == .invalidOptions)
      #expect(fault?.detail.contains("cannot be made (No such file or directory)") == true)
      let folder = try TemporaryFolder()
      let file = try CurlAuthorityFile(contents: Data("x".utf8), in: folder.url.path)
      #expect(FileManager.default.contents(atPath: file.path) == Data("x".utf8))
      #expect(try folder.names.isEmpty)
    }

    @Test("Added authorities come after all of the system's")
    func added() throws {
      let own = try TestFile(Self.certificate)
      let library = try CurlLibrary.load()
      var tls = TLSOptions()
      tls.authorities = .file(own.url)
      let alone = try CurlSecurity(tls, .none, library: library)
      #expect(alone.authorityFile?.path == own.url.path)
      tls.authorities = .systemAndFile(own.url)
      let added = try CurlSecurity(tls, .none, library: library)
      let path = try #require(added.authorityFile?.path)
      let text = try #require(FileManager.default.contents(atPath: path))
      let certificates = String(decoding: text, as: UTF8.self).components(separatedBy: "-----BEGIN")
      #expect(certificates.count > 10)
      #expect(text.suffix(Self.certificate.utf8.count) == Data(Self.certificate.utf8))
      #expect(CurlSecurity().authorityFile == nil)
    }

    @Test(
      "A client certificate without its files, or an encrypted key without passphrase, is named")
    func clientCertificate() throws {
      let good = try TestFile(Self.certificate)
      let missing = URL(filePath: "/nowhere/client.pem")
      #expect(
        try detail {
          $0.clientCertificate = ClientCertificate(certificate: missing, key: good.url)
        } == "TLSOptions.clientCertificate: the file /nowhere/client.pem cannot be read")
      #expect(
        try detail {
          $0.clientCertificate = ClientCertificate(certificate: good.url, key: good.url)
        } == "TLSOptions.clientCertificate: the file \(good.url.path) has no PRIVATE KEY in PEM")
      let plain = try TestFile("-----BEGIN PRIVATE KEY-----\n")
      #expect(
        try detail {
          $0.clientCertificate = ClientCertificate(
            certificate: good.url, key: plain.url, passphrase: "canary\0")
        } == "TLSOptions.clientCertificate: its passphrase has a NUL character")
      for text in [
        "-----BEGIN ENCRYPTED PRIVATE KEY-----\n",
        "-----BEGIN EC PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n",
      ] {
        let key = try TestFile(text)
        let identity = ClientCertificate(certificate: good.url, key: key.url)
        #expect(
          try detail { $0.clientCertificate = identity }
            == "TLSOptions.clientCertificate: the key \(key.url.path) is encrypted;"
            + " give its passphrase")
      }
    }

    @Test(
      "A pin that is not a digest is named by its place, not by its text",
      arguments: [
        "", "sha256//", "canary", "sha256//canary==", "sha1//" + String(repeating: "A", count: 44),
        String(repeating: "A", count: 40), "/etc/key.pem",
      ])
    func pins(pin: String) throws {
      let good = "sha256//" + Data(repeating: 1, count: 32).base64EncodedString()
      let detail = try detail { $0.pinnedPublicKeys = [good, pin] }
      #expect(detail.hasPrefix("TLSOptions.pinnedPublicKeys[1] is not the base64 of a SHA-256"))
      #expect(!detail.contains("canary"))
    }

    @Test(
      "An invalid proxy address is named, without its password",
      arguments: [
        ("ftp://p:1", "its scheme is not one of http, https, socks5, socks5h"),
        ("http://p", "it needs a host and a port"),
        ("http://u:canary@p:1", "it has a user; set ProxyServer.user and password instead"),
        ("http://p:1/path", "it has a path or a query; leave them out"),
        ("http://p:1?q", "it has a path or a query; leave them out"),
      ])
    func proxies(address: String, words: String) throws {
      let url = try #require(URL(string: address))
      #expect(try detail(.proxy(ProxyServer(url))) == "ProxyServer.url: \(words)")
    }

    @Test("A user or password that cannot be sent is named without its text")
    func credentials() throws {
      let url = try #require(URL(string: "http://p:1"))
      for (proxy, words) in [
        (ProxyServer(url, user: "can:ary"), "ProxyServer.user: it has a colon"),
        (ProxyServer(url, user: "a\nb"), "ProxyServer.user: it has a control character"),
        (
          ProxyServer(url, user: "a", password: "\0"),
          "ProxyServer.password: it has a control character"
        ),
        (ProxyServer(url, password: "b"), "ProxyServer.password: it needs a user"),
        (
          ProxyServer(url, bypassedHosts: ["a", "b,c"]),
          "ProxyServer.bypassedHosts[1] is not a host"
        ),
      ] {
        #expect(try detail(.proxy(proxy)) == words)
      }
    }

    @Test("An https proxy needs a libcurl that supports it, and other proxies do not")
    func tlsToProxies() throws {
      let able = try CurlLibrary.posing()
      UnsafeMutablePointer(mutating: able.api).pointee.features |= 1 << 21
      let unable = try CurlLibrary.posing()
      UnsafeMutablePointer(mutating: unable.api).pointee.features &= ~(1 << 21)
      let secure = ProxyPolicy.proxy(ProxyServer(try #require(URL(string: "https://p:1"))))
      let plain = ProxyPolicy.proxy(ProxyServer(try #require(URL(string: "http://p:1"))))
      #expect(try CurlSecurity(TLSOptions(), secure, library: able).proxy == secure)
      #expect(try CurlSecurity(TLSOptions(), plain, library: able).proxy == plain)
      #expect(try CurlSecurity(TLSOptions(), plain, library: unable).proxy == plain)
      #expect(throws: TransportError.self) {
        _ = try CurlSecurity(TLSOptions(), secure, library: unable)
      }
    }

    @Test("Valid options are accepted, up to the last valid character")
    func taken() throws {
      let library = try CurlLibrary.load()
      let url = try #require(URL(string: "http://p:1/"))
      for proxy in [
        ProxyServer(url), ProxyServer(try #require(URL(string: "socks5h://p:1"))),
        ProxyServer(url, user: "a b~", password: "a b:~", bypassedHosts: ["a!b", "c"]),
        ProxyServer(url, user: "a"),
      ] {
        let security = try CurlSecurity(TLSOptions(), .proxy(proxy), library: library)
        #expect(security.proxy == .proxy(proxy))
      }
      for (proxy, words) in [
        (ProxyServer(url, user: "a\u{1F}"), "ProxyServer.user: it has a control character"),
        (
          ProxyServer(url, user: "a", password: "a\u{7F}"),
          "ProxyServer.password: it has a control character"
        ),
        (ProxyServer(url, bypassedHosts: [""]), "ProxyServer.bypassedHosts[0] is not a host"),
        (ProxyServer(url, bypassedHosts: ["a b"]), "ProxyServer.bypassedHosts[0] is not a host"),
      ] {
        #expect(try detail(.proxy(proxy)) == words)
      }
    }

    @Test("Pins, the minimum version and an encrypted key with its passphrase are kept")
    func kept() throws {
      let library = try CurlLibrary.load()
      let certificate = try TestFile(Self.certificate)
      let (plain, encrypted) = (
        try TestFile("-----BEGIN PRIVATE KEY-----\n"),
        try TestFile("-----BEGIN ENCRYPTED PRIVATE KEY-----\n")
      )
      let digests = [1, 2].map { Data(repeating: $0, count: 32).base64EncodedString() }
      var tls = TLSOptions()
      tls.pinnedPublicKeys = ["sha256//" + digests[0], digests[1]]
      tls.minimumVersion = .tls13
      let keys: [(TestFile, String?)] = [
        (plain, nil), (plain, "\u{1}"), (encrypted, "open sesame"),
      ]
      for (key, passphrase) in keys {
        tls.clientCertificate = ClientCertificate(
          certificate: certificate.url, key: key.url, passphrase: passphrase)
        let security = try CurlSecurity(tls, .none, library: library)
        #expect(security.identity == tls.clientCertificate)
        #expect(security.pins == "sha256//\(digests[0]);sha256//\(digests[1])")
        #expect(security.minimumVersion == .tls13)
        #expect(security.proxy == .none)
      }
      #expect(try CurlSecurity(TLSOptions(), .none, library: library).pins == nil)
    }

    @Test("An IPv6 proxy keeps its brackets")
    func literal() throws {
      let url = try #require(URL(string: "http://[::1]:3128/"))
      #expect(ProxyServer(url).address == "http://[::1]:3128")
    }

    @Test("An incomplete address is shown as far as possible, without its secrets")
    func incomplete() throws {
      for (address, text) in [
        ("//canary:canary@p", "://p"), ("http://[::1]", "http://[::1]"), ("canary@p:1", "://"),
      ] {
        #expect("\(ProxyServer(try #require(URL(string: address))))" == text)
      }
    }

    @Test("No text holds a passphrase or a password")
    func redaction() throws {
      let identity = ClientCertificate(
        certificate: URL(filePath: "/a"), key: URL(filePath: "/b"), passphrase: "canary")
      var tls = TLSOptions()
      tls.clientCertificate = identity
      let proxy = ProxyPolicy.proxy(
        ProxyServer(
          try #require(URL(string: "http://canary:canary@p:1")), user: "canary", password: "canary")
      )
      for value in [identity, tls, proxy] as [any Sendable] {
        var text = "\(value) \(String(reflecting: value)) "
        dump(value, to: &text)
        #expect(!text.contains("canary"))
      }
      #expect("\(identity)" == "certificate /a, key /b, passphrase hidden")
    }

    @Test(
      "Authorities are added to the system's first readable file; without one the fault says so")
    func systemAuthorities() throws {
      let file = try TestFile(Self.certificate)
      let missing = "/nowhere/ca.pem"
      let contents = try CurlSecurity.systemAuthorities(at: [missing, file.url.path])
      #expect(contents == Data(Self.certificate.utf8))
      let fault = #expect(throws: TransportError.self) {
        try CurlSecurity.systemAuthorities(at: [missing])
      }
      #expect(fault?.kind == .invalidOptions)
      #expect(fault?.detail.contains("install ca-certificates") == true)
    }

    @Test("A folder in which no authority file can be written is reported")
    func noAuthorityFile() {
      let fault = #expect(throws: TransportError.self) {
        try CurlAuthorityFile(contents: Data("hello".utf8), in: "/nowhere")
      }
      #expect(fault?.kind == .invalidOptions)
      #expect(fault?.detail.contains("cannot be made (No such file or directory)") == true)
    }

    @Test("The file of added authorities is removed with its last user")
    func authorityFile() throws {
      var file: CurlAuthorityFile? = try CurlAuthorityFile(contents: Data("hello".utf8))
      let path = try #require(file?.path)
      #expect(FileManager.default.contents(atPath: path) == Data("hello".utf8))
      file = nil
      #expect(FileManager.default.contents(atPath: path) != Data("hello".utf8))
    }
  }
#endif
