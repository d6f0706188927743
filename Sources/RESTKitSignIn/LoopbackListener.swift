import Foundation
import RESTKit
import Streams

/// A listener on 127.0.0.1 for the one callback of a sign-in.
///
/// Other processes and web pages can send requests to it, too. A request is accepted only if it is
/// a GET of the path, names the listener's own address as its host, and belongs to the sign-in. A
/// silent connection delays no other connection. If there are more than sixteen, the oldest one is
/// closed.
final class LoopbackListener: Sendable {
  /// The redirect URI of the sign-in.
  let redirectURI: String

  private static let maximumPeers = 16

  private let address: String
  private let hosts: [Substring]
  private let redirect: LoopbackRedirect
  private let listener: SocketDescriptor
  private let alarm: (reader: SocketDescriptor, writer: SocketDescriptor)

  init(_ redirect: LoopbackRedirect) throws(SignInError) {
    let port: UInt16
    (listener, port) = try SocketDescriptor.listening(onPort: redirect.port)
    alarm = try SocketDescriptor.pipe()
    address = "127.0.0.1:\(port)"
    hosts = Self.hosts(ofPort: port)
    self.redirect = redirect
    redirectURI = "http://\(address)\(redirect.path)"
    // The browser must request the path exactly as it was sent.
    guard redirect.path.hasPrefix("/"), !redirect.path.contains(where: { "?# ".contains($0) }),
      redirect.path.utf8.allSatisfy({ 0x21...0x7e ~= $0 })
    else {
      throw .invalidURL(name: "path of the loopback redirect", reason: "is not the path of a URL")
    }
  }

  /// The values of the field `Host` by which a browser names the listener.
  ///
  /// A browser leaves the default port of http out (RFC 9110 §7.2).
  static func hosts(ofPort port: UInt16) -> [Substring] {
    ["127.0.0.1:\(port)"] + (port == 80 ? ["127.0.0.1"] : [])
  }

  /// Returns a publisher of the callback's URL, for one subscription, whose own thread waits for
  /// it.
  ///
  /// - Parameter isOwn: A closure that returns whether a callback belongs to the sign-in.
  func callback(
    _ isOwn: @escaping @Sendable (String) -> Bool
  ) -> AnyPublisher<String, any Error> {
    Single<String, any Error> { [self] resolve in
      Thread.detachNewThread { [self] in
        let callback = wait(isOwn)
        listener.end()
        if let callback { resolve(.success(callback)) }
      }
      return AnyCancellable { [writer = alarm.writer] in writer.wake() }
    }
    .eraseToAnyPublisher()
  }

  private struct Peer {
    let socket: SocketDescriptor
    var head: [UInt8] = []
  }

  /// - Returns: The callback, or nil if the subscription was canceled.
  private func wait(_ isOwn: (String) -> Bool) -> String? {
    var peers: [Peer] = []
    while true {
      let isReady = SocketDescriptor.wait(
        for: [alarm.reader, listener] + peers.map(\.socket))
      if isReady[0] { return nil }
      for index in peers.indices.reversed() where isReady[index + 2] {
        guard let bytes = peers[index].socket.receive(atMost: LoopbackRequest.maximumLength) else {
          peers.remove(at: index)
          continue
        }
        peers[index].head += bytes
        switch answer(to: peers[index].head, isOwn) {
        case .wait: break
        case .refusal(let status):
          peers.remove(at: index).socket.sendLast(message(status, page: "<p>Not here.</p>"))
        case .callback(let callback):
          peers[index].socket.sendLast(message("200 OK", page: redirect.page))
          return callback
        }
      }
      if isReady[1], let socket = listener.accept() {
        if peers.count == Self.maximumPeers { peers.removeFirst() }
        peers.append(Peer(socket: socket))
      }
    }
  }

  private enum Answer {
    case wait
    case refusal(String)
    case callback(String)
  }

  private func answer(to head: [UInt8], _ isOwn: (String) -> Bool) -> Answer {
    guard head.count <= LoopbackRequest.maximumLength else {
      return .refusal("431 Request Header Fields Too Large")
    }
    guard LoopbackRequest.isWhole(head) else { return .wait }
    guard let request = LoopbackRequest(head), request.method == "GET",
      let host = request.host, hosts.contains(host)
    else { return .refusal("400 Bad Request") }
    let callback = "http://\(address)\(request.target)"
    guard request.target.prefix(while: { $0 != "?" }) == redirect.path, isOwn(callback) else {
      return .refusal("404 Not Found")
    }
    return .callback(callback)
  }

  /// Returns the response to the browser, whose address bar shows a code: the header fields keep
  /// the browser from sending the URL on and from storing the response.
  private func message(_ status: String, page: String) -> [UInt8] {
    let page = "<!doctype html><meta charset=\"utf-8\"><title>Sign-in</title>\(page)"
    return Array(
      """
      HTTP/1.1 \(status)\r
      Content-Type: text/html; charset=utf-8\r
      Content-Length: \(page.utf8.count)\r
      Content-Security-Policy: default-src 'none'; style-src 'unsafe-inline'\r
      Referrer-Policy: no-referrer\r
      X-Content-Type-Options: nosniff\r
      Cache-Control: no-store\r
      Connection: close\r
      \r
      \(page)
      """.utf8)
  }
}

/// The address at which a command-line tool waits for the callback of a browser (RFC 8252 §7.3).
public struct LoopbackRedirect: Sendable, Hashable {
  /// The path of the redirect URI, which begins with a slash.
  public var path: String
  /// The port, or 0 for a port that the system chooses.
  ///
  /// Servers must allow any port for 127.0.0.1.
  public var port: UInt16
  /// The page that the browser shows after the callback, as HTML.
  public var page: String
  /// The time that the user has for the sign-in in the browser.
  public var timeLimit: Duration

  /// - Parameters:
  ///   - path: The path of the redirect URI, which begins with a slash, without a query.
  ///   - port: The port, or 0 for a port that the system chooses.
  ///   - page: The page that the browser shows after the callback, as HTML without scripts.
  ///   - timeLimit: The time that the user has for the sign-in in the browser, ten minutes unless
  ///     it is given. Then the port is closed, and the sign-in fails with `SignInError.expired`.
  public init(
    path: String = "/callback", port: UInt16 = 0,
    page: String = "<p>The answer has arrived. You can close this window.</p>",
    timeLimit: Duration = .seconds(600)
  ) {
    self.path = path
    self.port = port
    self.page = page
    self.timeLimit = timeLimit
  }
}

/// The head of a request to a loopback listener: the part of HTTP/1.1 that a redirect needs.
struct LoopbackRequest {
  let method: Substring
  /// The path and the query.
  let target: Substring
  let host: Substring?

  /// The maximum length of a head, in bytes.
  static let maximumLength = 16_384

  /// - Parameter bytes: The bytes that have arrived so far.
  /// - Returns: nil until the head is complete, and for bytes that are not a head.
  init?(_ bytes: [UInt8]) {
    guard let text = String(validating: bytes, as: UTF8.self), text.hasSuffix("\r\n\r\n") else {
      return nil
    }
    let lines = text.split(separator: "\r\n")
    let words = lines.first?.split(separator: " ", omittingEmptySubsequences: false) ?? []
    guard words.count == 3, words[2].hasPrefix("HTTP/1."), words[1].hasPrefix("/") else {
      return nil
    }
    method = words[0]
    target = words[1]
    let hosts = lines.dropFirst().compactMap { line -> Substring? in
      let name = line.prefix { $0 != ":" }
      guard name.lowercased() == "host" else { return nil }
      return line.dropFirst(name.count + 1).drop { $0 == " " }
    }
    host = hosts.count == 1 ? hosts[0] : nil
  }

  /// Returns whether the bytes end a head.
  static func isWhole(_ bytes: [UInt8]) -> Bool { bytes.suffix(4) == [13, 10, 13, 10] }
}
