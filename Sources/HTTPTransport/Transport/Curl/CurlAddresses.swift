#if os(Linux)
  internal import CCurl
  import Foundation
  import HTTPWire

  /// The checked addresses of hosts for an engine, in libcurl's terms.
  struct CurlAddresses: Sendable {
    /// The path of the socket for all connections, or nil if they go to hosts.
    private(set) var socketPath: String?
    /// The hosts and their addresses in libcurl's notation.
    private(set) var lines: [String] = []

    /// Makes the system's addresses.
    init() {}

    /// Checks every part.
    ///
    /// - Throws: `.invalidOptions`, with the part's name and its fault.
    init(
      _ policy: AddressPolicy, _ proxy: ProxyPolicy, library: CurlLibrary
    ) throws(TransportError) {
      switch policy {
      case .system: break
      case .unixSocket(let path):
        try Self.check(path: path, library)
        if case .proxy = proxy {
          throw Self.fault(
            "AddressPolicy.unixSocket and ProxyPolicy.proxy exclude each other: no proxy is on the way"
              + " to a socket; leave one of them out")
        }
        socketPath = path
      case .fixed(let hosts):
        var numbers: [String: Int] = [:]
        for (number, host) in hosts.enumerated() {
          let part = "AddressPolicy.fixed[\(number)]"
          let place = try Self.place(of: host, part)
          if let former = numbers.updateValue(number, forKey: place) {
            throw Self.fault(
              "\(part) has the host and port of AddressPolicy.fixed[\(former)]; merge the two")
          }
          let addresses = try Self.addresses(of: host, "\(part).addresses", library)
          lines.append("\(place):\(addresses.joined(separator: ","))")
        }
      }
    }

    /// The lines that tell the road from that of other transports.
    var road: [String] {
      socketPath.map { ["socket \($0)"] } ?? lines.sorted().map { "address \($0)" }
    }

    // MARK: Sockets

    /// The room in the system's `sockaddr_un`, without the NUL at its end.
    private static let maxPath = 107

    private static func check(path: String, _ library: CurlLibrary) throws(TransportError) {
      let part = "AddressPolicy.unixSocket"
      guard library.knowsUnixSockets else {
        throw fault("\(part) needs a libcurl with unix sockets, and \(library.version) has none")
      }
      guard !path.isEmpty else { throw fault("\(part): the path is empty; give the socket's") }
      guard path.utf8.first == UInt8(ascii: "/") else {
        throw fault("\(part): the path \(path) is not absolute; give the whole path")
      }
      guard !path.utf8.contains(0) else {
        throw fault("\(part): the path has a NUL character; leave it out")
      }
      guard path.utf8.count <= maxPath else {
        throw fault(
          "\(part): the path has \(path.utf8.count) bytes, and a socket's has \(maxPath) at most;"
            + " use a shorter one, or a symbolic link")
      }
    }

    // MARK: Hosts

    private static let maxHost = 253

    /// Returns the host and port in libcurl's notation, the same for all spellings.
    private static func place(
      of host: HostAddresses, _ part: String
    ) throws(TransportError) -> String {
      guard !host.host.isEmpty else { throw fault("\(part).host is empty; give the host of URLs") }
      // A leading hyphen is a command of libcurl's, as are a plus and an asterisk.
      guard host.host.utf8.allSatisfy(isOfName), host.host.utf8.first != UInt8(ascii: "-"),
        host.host.utf8.count <= maxHost
      else {
        throw fault(
          "\(part).host is not a host's name, which has letters, digits, dots, hyphens and underscores,"
            + " without a port; write one in another script as in DNS, xn--…")
      }
      guard (1...65_535).contains(host.port) else {
        throw fault("\(part).port is \(host.port); give one from 1 to 65535")
      }
      return "\(host.host.lowercased()):\(host.port)"
    }

    private static func isOfName(_ byte: UInt8) -> Bool {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"),
        UInt8(ascii: "_"):
        true
      default: false
      }
    }

    private static func addresses(
      of host: HostAddresses, _ part: String, _ library: CurlLibrary
    ) throws(TransportError) -> [String] {
      guard !host.addresses.isEmpty else {
        throw fault("\(part) is empty; give one address, or several")
      }
      var addresses: [String] = []
      for (number, address) in host.addresses.enumerated() {
        var ipv4 = in_addr()
        var ipv6 = in6_addr()
        if address.utf8.contains(0) {
          throw fault("\(part)[\(number)] has a NUL character; leave it out")
        } else if inet_pton(AF_INET, address, &ipv4) == 1 {
          addresses.append(address)
        } else if inet_pton(AF_INET6, address, &ipv6) == 1 {
          guard library.knowsIPv6 else {
            throw fault(
              "\(part)[\(number)] needs a libcurl with IPv6, and \(library.version) has none")
          }
          addresses.append("[\(address)]")
        } else {
          throw fault(
            "\(part)[\(number)] is not an IPv4 or IPv6 address; write it as 192.0.2.7 or 2001:db8::7,"
              + " without brackets, port or zone")
        }
      }
      return addresses
    }

    private static func fault(_ detail: String) -> TransportError {
      .beforeSending(.invalidOptions, detail)
    }
  }
#endif
