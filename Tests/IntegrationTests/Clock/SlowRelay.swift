import Foundation
import Synchronization

/// A relay to a server.
///
/// It delays the first bytes of each response, and may be a proxy that opens its tunnel slowly.
///
/// Connections count from 0. The clock has the events of each.
final class SlowRelay: Sendable {
  let port: UInt16
  private let target: UInt16
  /// Milliseconds before a tunnel opens; nil where it is no proxy.
  private let tunnelPause: Int?
  /// Milliseconds before the first bytes go back.
  private let responsePause: Int
  private let clock: ServerClock
  private let listener: Int32
  private let open = Mutex<Set<Int32>>([])

  init(to target: UInt16, tunnelPause: Int? = nil, responsePause: Int, clock: ServerClock) throws {
    self.target = target
    self.tunnelPause = tunnelPause
    self.responsePause = responsePause
    self.clock = clock
    listener = socket(AF_INET, RawSocket.streamType, 0)
    port = try RawSocket.listen(listener)
    Thread.detachNewThread { [self] in acceptAll() }
  }

  func stop() {
    _ = shutdown(listener, RawSocket.bothWays)
    open.withLock { for one in $0 { _ = shutdown(one, RawSocket.bothWays) } }
  }

  private func acceptAll() {
    var count = 0
    while true {
      let one = accept(listener, nil, nil)
      guard one >= 0 else { break }
      let name = "\(count)"
      count += 1
      clock.note(.accepted, of: name)
      RawSocket.sendAtOnce(one)
      _ = open.withLock { $0.insert(one) }
      Thread.detachNewThread { [self] in
        serve(one, name)
        _ = open.withLock { $0.remove(one) }
        close(one)
      }
    }
    close(listener)
  }

  private func serve(_ one: Int32, _ name: String) {
    if let tunnelPause {
      guard openTunnel(one, name, after: tunnelPause) else { return }
    }
    relay(one, name)
  }

  /// Whether there is a tunnel.
  private func openTunnel(_ one: Int32, _ name: String, after milliseconds: Int) -> Bool {
    let blankLine: [UInt8] = [13, 10, 13, 10]
    var head: [UInt8] = []
    while head.firstRange(of: blankLine) == nil {
      guard let more = RawSocket.receive(one) else { return false }
      head += more
    }
    pause(milliseconds)
    clock.note(.tunnel, of: name)
    return RawSocket.sendAll(one, Array("HTTP/1.1 200 OK\r\n\r\n".utf8))
  }

  private func relay(_ one: Int32, _ name: String) {
    guard let other = RawSocket.connect(to: target) else { return }
    RawSocket.sendAtOnce(other)
    let end = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      while let bytes = RawSocket.receive(one), RawSocket.sendAll(other, bytes) {}
      _ = shutdown(other, RawSocket.bothWays)
      end.signal()
    }
    var isFirst = true
    while let bytes = RawSocket.receive(other) {
      if isFirst {
        isFirst = false
        pause(responsePause)
        clock.note(.handshake, of: name)
      }
      guard RawSocket.sendAll(one, bytes) else { break }
    }
    _ = shutdown(one, RawSocket.bothWays)
    end.wait()
    close(other)
  }

  /// The time that the test is to find again in the phases of the call.
  private func pause(_ milliseconds: Int) {
    Thread.sleep(forTimeInterval: Double(milliseconds) / 1_000)
  }
}
