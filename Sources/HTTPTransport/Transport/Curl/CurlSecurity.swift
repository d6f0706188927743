#if os(Linux)
  internal import CCurl
  import Foundation
  import HTTPWire

  /// The checked trust and proxy options of an engine, in libcurl's terms.
  struct CurlSecurity: Sendable {
    /// The trusted authorities in place of libcurl's own, or nil for libcurl's.
    private(set) var authorityFile: CurlAuthorityFile?
    /// The path of libcurl's own authorities, if they are trusted and are in a file.
    private(set) var systemAuthorities: String?
    private(set) var identity: ClientCertificate?
    /// The pins in libcurl's notation, or nil for none.
    private(set) var pins: String?
    private(set) var minimumVersion = TLSOptions.Version.tls12
    var proxy = ProxyPolicy.environment
    /// The digests of the files of the client certificate and of the authorities, if there are any.
    private var files: [String] = []

    /// Makes the defaults: the system's authorities, TLS 1.2 and the environment's proxies.
    init() {}

    /// Checks every option.
    ///
    /// - Throws: `.invalidOptions`, with the option's name and its fault.
    init(
      _ options: TLSOptions, _ proxy: ProxyPolicy, library: CurlLibrary
    ) throws(TransportError) {
      guard library.speaksTLS || options == TLSOptions() else {
        throw Self.fault("TLSOptions need a libcurl with TLS, and \(library.version) has none")
      }
      switch options.authorities {
      case .system:
        systemAuthorities = library.authorityFile.flatMap { path in
          FileManager.default.isReadableFile(atPath: path) ? path : nil
        }
      case .file(let url):
        let own = try Self.pem(url, "CERTIFICATE", "authorities")
        files.append("only authorities \(Self.digest(own))")
        authorityFile = CurlAuthorityFile(path: url.path)
      case .systemAndFile(let url):
        let own = try Self.pem(url, "CERTIFICATE", "authorities")
        files.append("further authorities \(Self.digest(own))")
        authorityFile = try CurlAuthorityFile(
          contents: try Self.systemAuthorities(at: Self.places(library)) + Data("\n".utf8) + own)
      }
      if let identity = options.clientCertificate {
        let certificate = try Self.check(identity)
        files.append("client certificate \(Self.digest(certificate))")
        self.identity = identity
      }
      pins = try Self.pins(options.pinnedPublicKeys)
      minimumVersion = options.minimumVersion
      if case .proxy(let server) = proxy { try Self.check(server, library) }
      self.proxy = proxy
    }

    /// The lines that tell the road from that of other transports.
    var road: [String] {
      var lines = files
      if let pins { lines.append("pins \(pins)") }
      switch proxy {
      case .environment: break
      case .none: lines.append("no proxy")
      case .proxy(let server):
        let user = server.user.map { " as \(Self.digest(Data($0.utf8)))" } ?? ""
        lines.append("proxy \(server.address)\(user)")
        lines += server.bypassedHosts.map { "not for \($0)" }
      }
      return lines
    }

    private static func digest(_ file: Data) -> String {
      SHA256.hash(file).map { byte in
        String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
      }.joined()
    }

    // MARK: Trust and identity

    /// Returns the certificate's file.
    private static func check(_ identity: ClientCertificate) throws(TransportError) -> Data {
      let certificate = try pem(identity.certificate, "CERTIFICATE", "clientCertificate")
      let key = try pem(identity.key, "PRIVATE KEY", "clientCertificate")
      let isEncrypted = key.range(of: Data("ENCRYPTED".utf8)) != nil
      guard !isEncrypted || identity.passphrase != nil else {
        throw fault(
          "TLSOptions.clientCertificate: the key \(identity.key.path) is encrypted;"
            + " give its passphrase")
      }
      guard identity.passphrase?.utf8.contains(0) != true else {
        throw fault("TLSOptions.clientCertificate: its passphrase has a NUL character")
      }
      return certificate
    }

    private static func pins(_ pins: [String]) throws(TransportError) -> String? {
      let prefix = "sha256//"
      var lines: [String] = []
      for (index, pin) in pins.enumerated() {
        let digest = pin.hasPrefix(prefix) ? pin.dropFirst(prefix.count) : Substring(pin)
        guard Data(base64Encoded: String(digest))?.count == 32 else {
          throw fault(
            "TLSOptions.pinnedPublicKeys[\(index)] is not the base64 of a SHA-256 digest,"
              + " which has 44 characters")
        }
        lines.append(prefix + digest)
      }
      return lines.isEmpty ? nil : lines.joined(separator: ";")
    }

    /// Returns the contents of a file that must contain at least one PEM block with a label that
    /// ends like this.
    private static func pem(
      _ url: URL, _ label: String, _ option: String
    ) throws(TransportError) -> Data {
      guard url.isFileURL else {
        throw fault("TLSOptions.\(option): \(url.scheme ?? "it") is not a file URL")
      }
      // This also refuses a directory, and a file that this process may not read.
      guard let contents = FileManager.default.contents(atPath: url.path) else {
        throw fault("TLSOptions.\(option): the file \(url.path) cannot be read")
      }
      guard contents.range(of: Data("\(label)-----".utf8)) != nil else {
        throw fault("TLSOptions.\(option): the file \(url.path) has no \(label) in PEM")
      }
      return contents
    }

    /// Returns the usual files of trusted certificates.
    private static func places(_ library: CurlLibrary) -> [String] {
      let usual = [
        "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt",
        "/etc/ssl/ca-bundle.pem", "/etc/ssl/cert.pem",
      ]
      return [library.authorityFile].compactMap { $0 } + usual
    }

    /// Returns the contents of the first readable file of these.
    static func systemAuthorities(at places: [String]) throws(TransportError) -> Data {
      for place in places {
        if let contents = FileManager.default.contents(atPath: place) { return contents }
      }
      throw fault(
        "TLSOptions.authorities: this system has no file of certificates to add to;"
          + " install ca-certificates, or use .file")
    }

    // MARK: Proxies

    private static func check(
      _ proxy: ProxyServer, _ library: CurlLibrary
    ) throws(TransportError) {
      let schemes = ["http", "https", "socks5", "socks5h"]
      guard let scheme = proxy.url.scheme?.lowercased(), schemes.contains(scheme) else {
        throw fault("ProxyServer.url: its scheme is not one of \(schemes.joined(separator: ", "))")
      }
      guard scheme != "https" || library.speaksTLSToProxies else {
        throw fault("ProxyServer.url: libcurl \(library.version) cannot speak TLS to a proxy")
      }
      guard proxy.url.user == nil, proxy.url.password == nil else {
        throw fault("ProxyServer.url: it has a user; set ProxyServer.user and password instead")
      }
      guard let host = proxy.url.host, !host.isEmpty, proxy.url.port != nil else {
        // libcurl's default port, 1080, is not plausible for an HTTP proxy.
        throw fault("ProxyServer.url: it needs a host and a port")
      }
      guard proxy.url.path.isEmpty || proxy.url.path == "/", proxy.url.query == nil else {
        throw fault("ProxyServer.url: it has a path or a query; leave them out")
      }
      // User and password are joined with a colon (RFC 7617 §2).
      guard proxy.user?.contains(":") != true else {
        throw fault("ProxyServer.user: it has a colon")
      }
      for (name, value) in [("user", proxy.user), ("password", proxy.password)]
      where value?.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) == true {
        throw fault("ProxyServer.\(name): it has a control character")
      }
      guard proxy.user != nil || proxy.password == nil else {
        throw fault("ProxyServer.password: it needs a user")
      }
      for (index, host) in proxy.bypassedHosts.enumerated()
      where host.isEmpty || host.utf8.contains(where: { $0 <= 0x20 || $0 == UInt8(ascii: ",") }) {
        throw fault("ProxyServer.bypassedHosts[\(index)] is not a host")
      }
    }

    private static func fault(_ detail: String) -> TransportError {
      .beforeSending(.invalidOptions, detail)
    }
  }

  /// A file of trusted authorities, which libcurl reads by its path.
  final class CurlAuthorityFile: Sendable {
    let path: String
    private let handle: FileHandle?

    /// Makes a reference to an existing file.
    init(path: String) {
      self.path = path
      handle = nil
    }

    /// Makes an unnamed file with these contents.
    ///
    /// It is deleted with its last user.
    ///
    /// libcurl accepts the authorities from memory only since 7.77. It then copies them for every
    /// connection, compares them byte by byte to find a reusable one, and parses them again each
    /// time. In contrast, it caches the parsed content of a file.
    ///
    /// - Parameter folder: The folder of the file. The file has no name there when this returns.
    init(contents: Data, in folder: String = NSTemporaryDirectory()) throws(TransportError) {
      var template = Array((folder + "/restkit-XXXXXX").utf8CString)
      let descriptor = mkstemp(&template)
      guard descriptor >= 0 else { throw Self.fault("cannot be made", .last) }
      unlink(template)
      _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
      let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
      self.handle = handle
      path = "/proc/self/fd/\(descriptor)"
      do {
        try handle.writeAll(contents)
      } catch {
        throw Self.fault("cannot be written", error)
      }
      guard access(path, R_OK) == 0 else {
        throw Self.fault("needs /proc, which is not mounted", .last)
      }
    }

    private static func fault(_ what: String, _ error: POSIXError) -> TransportError {
      .beforeSending(
        .invalidOptions,
        "TLSOptions.authorities: a file for .systemAndFile \(what)"
          + " (\(String(cString: strerror(error.code.rawValue))))")
    }
  }
#endif
