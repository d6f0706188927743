#if os(Linux)
  import Foundation
  import Streams
  import Testing

  /// A server on loopback, or at a unix socket, whose every byte is the test's: each connection has
  /// a thread of its own, and the test may send on it at any time.
  package final class RawPeer: Sendable {
    /// One connection, and the behavior of its script.
    package struct Connection: Sendable {
      package let socket: Int32
      /// 0 for the first one.
      package let index: Int

      /// Reads to the end of a head and of as many bytes behind it as it announces; nil at an end.
      package func readRequest() -> String? {
        var text = ""
        while true {
          if let end = text.range(of: "\r\n\r\n"), text.utf8.count >= length(of: text, end) {
            return text
          }
          guard let more = read() else { return nil }
          text += more
        }
      }

      /// The next bytes, as ISO 8859-1; nil at an end.
      package func read() -> String? {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = recv(socket, &bytes, bytes.count, 0)
        guard count > 0 else { return nil }
        return String(String.UnicodeScalarView(bytes[..<count].map { Unicode.Scalar($0) }))
      }

      /// False once the client is gone.
      @discardableResult
      package func send(_ bytes: Data) -> Bool {
        var left = bytes[...]
        while !left.isEmpty {
          let count = left.withUnsafeBytes {
            Foundation.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
          }
          guard count > 0 else { return false }
          left = left.dropFirst(count)
        }
        return true
      }

      @discardableResult
      package func send(_ text: String) -> Bool { send(Data(text.utf8)) }

      /// Reads until the client closes.
      package func drain() {
        while read() != nil {}
      }

      private func length(of text: String, _ end: Range<String.Index>) -> Int {
        let head = text[..<end.upperBound]
        let announced = head.lowercased().split(separator: "content-length: ").dropFirst().first
        let digits = announced?.prefix { $0.isNumber } ?? ""
        return head.utf8.count + (Int(digits) ?? 0)
      }
    }

    /// 0 at a unix socket.
    package let port: UInt16
    private let host: String
    private let table: Table

    /// The open sockets: what is closed leaves it under its lock, since the next one anywhere may
    /// get its number.
    private final class Table: Sendable {
      let listener: Lock<Int32?>
      /// Those of connections, nil where the script has ended.
      let sockets = Lock<[Int32?]>([])

      init(listener: Int32) {
        self.listener = Lock(listener)
      }
    }

    /// - Parameters:
    ///   - host: An address of this machine.
    ///   - port: 0 for any that is free.
    ///   - script: What a connection does, on its thread; it is closed when that returns.
    package convenience init(
      host: String = "127.0.0.1", port: UInt16 = 0,
      script: @escaping @Sendable (Connection) -> Void
    ) throws {
      let listener = Foundation.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_addr.s_addr = inet_addr(host)
      address.sin_port = port.bigEndian
      var size = socklen_t(MemoryLayout<sockaddr_in>.size)
      let isBound = withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
          bind(listener, address, size) == 0 && listen(listener, 64) == 0
            && getsockname(listener, address, &size) == 0
        }
      }
      guard isBound else { throw Self.failure(closing: listener) }
      self.init(
        listener: listener, host: host, port: address.sin_port.bigEndian, script: script)
    }

    /// - Parameters:
    ///   - path: Where the socket is to be, in 107 bytes at most; who makes it takes it away.
    ///   - script: What a connection does, on its thread; it is closed when that returns.
    package convenience init(
      at path: String, script: @escaping @Sendable (Connection) -> Void
    ) throws {
      let listener = Foundation.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      withUnsafeMutableBytes(of: &address.sun_path) { bytes in
        // The last byte stays the NUL at the end.
        bytes.copyBytes(from: path.utf8.prefix(bytes.count - 1))
      }
      let isBound = withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
          bind(listener, address, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            && listen(listener, 64) == 0
        }
      }
      guard isBound else { throw Self.failure(closing: listener) }
      self.init(listener: listener, host: "localhost", port: 0, script: script)
    }

    private static func failure(closing listener: Int32) -> POSIXError {
      let failure = POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
      Foundation.close(listener)
      return failure
    }

    private init(
      listener: Int32, host: String, port: UInt16,
      script: @escaping @Sendable (Connection) -> Void
    ) {
      let table = Table(listener: listener)
      self.table = table
      self.host = host
      self.port = port
      let thread = Thread {
        while true {
          let socket = accept(listener, nil, nil)
          guard socket >= 0 else {
            table.listener.withLock { open in
              open = nil
              Foundation.close(listener)
            }
            return
          }
          let index = table.sockets.withLock { sockets in
            sockets.append(socket)
            return sockets.count - 1
          }
          Thread {
            script(Connection(socket: socket, index: index))
            table.sockets.withLock { sockets in
              sockets[index] = nil
              Foundation.close(socket)
            }
          }.start()
        }
      }
      thread.start()
    }

    deinit { stop() }

    /// At a unix socket the host is one that only a transport to that socket brings here.
    package var baseURL: String { port == 0 ? "http://\(host)" : "http://\(host):\(port)" }

    /// How many connections were made.
    package var connectionCount: Int { table.sockets.withLock { $0.count } }

    /// Sends on a connection, and returns when the client's system has the bytes.
    package func send(_ bytes: Data, on index: Int) {
      guard let socket = socket(of: index) else { return }
      Connection(socket: socket, index: index).send(bytes)
      settle(socket)
    }

    /// Ends a connection in order.
    package func close(_ index: Int) {
      guard let socket = socket(of: index) else { return }
      shutdown(socket, Int32(SHUT_WR))
      settle(socket)
    }

    /// Resets a connection; the script's next read or send there fails.
    package func reset(_ index: Int) {
      guard let socket = socket(of: index) else { return }
      // A connection that is told to go to nowhere is reset, and its descriptor stays for the
      // script.
      var nowhere = sockaddr()
      nowhere.sa_family = sa_family_t(AF_UNSPEC)
      connect(socket, &nowhere, socklen_t(MemoryLayout<sockaddr>.size))
    }

    package func stop() {
      table.listener.withLock { listener in
        if let listener { shutdown(listener, Int32(SHUT_RDWR)) }
      }
      table.sockets.withLock { sockets in
        for case let socket? in sockets { shutdown(socket, Int32(SHUT_RDWR)) }
      }
    }

    private func socket(of index: Int) -> Int32? {
      table.sockets.withLock { $0.indices.contains(index) ? $0[index] : nil }
    }

    /// Waits until the other side has acknowledged all that was sent; at a unix socket it has it at
    /// once.
    private func settle(_ socket: Int32) {
      if port == 0 { return }
      var unacknowledged: Int32 = 0
      repeat {
        guard ioctl(socket, UInt(TIOCOUTQ), &unacknowledged) == 0 else { return }
        if unacknowledged > 0 { sched_yield() }
      } while unacknowledged > 0
    }
  }

  /// An event on an idle connection, caused by the server.
  package enum IdleEvent: String, CaseIterable, CustomTestStringConvertible {
    case answer = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil"
    case timeout = "HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
    case lineBreak = "\r\n"
    case halfAHead = "HTTP/1.1 20"
    case close = "a close"
    case reset = "a reset"

    package var testDescription: String { rawValue.debugDescription }

    package func happen(at peer: RawPeer) {
      switch self {
      case .close: peer.close(0)
      case .reset: peer.reset(0)
      case .timeout:
        peer.send(Data(rawValue.utf8), on: 0)
        peer.close(0)
      default: peer.send(Data(rawValue.utf8), on: 0)
      }
    }
  }
#endif
