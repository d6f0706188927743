import Foundation
import Synchronization

/// A server that sends exactly the given bytes at the given times, on connections that stay open.
///
/// A script determines the steps for each request, after the request is completely read.
final class RawPeer: Sendable {
  /// One thing to do.
  enum Step: Sendable {
    case send([UInt8])
    /// Waits so many milliseconds: the time is a part of the attack.
    case pause(Int)
    /// Calls back, as to note the time.
    case run(@Sendable () -> Void)
    /// Resumes the task that waits in `told()`.
    case tell
    /// Waits for `go()`.
    case wait
    /// Sends the same again and again, until the client closes.
    case endless([UInt8])
    /// Waits until the client closes.
    case hold
    /// Reads the next request of the connection; only the last of a script.
    case keep
    /// Ends the connection with a RST; only the last of a script.
    case reset
  }

  /// A request, and where it came.
  struct Visit: Sendable {
    /// Counts the connections from 0.
    let connection: Int
    let method: String
    let target: String
    let body: String
  }

  let port: UInt16
  private let listener: Int32
  private let readsBodies: Bool
  private let script: @Sendable (Visit) -> [Step]
  private let open = Mutex<Set<Int32>>([])
  private let seen = Mutex<[Visit]>([])
  private let gate = DispatchSemaphore(value: 0)
  private let tells = AsyncStream<Void>.makeStream()
  private let ends = AsyncStream<Void>.makeStream()

  init(readsBodies: Bool = true, _ script: @escaping @Sendable (Visit) -> [Step]) throws {
    self.readsBodies = readsBodies
    listener = socket(AF_INET, RawSocket.streamType, 0)
    self.script = script
    port = try RawSocket.listen(listener)
    Thread.detachNewThread { [self] in acceptAll() }
  }

  var address: String { "http://127.0.0.1:\(port)" }

  /// The requests so far.
  var visits: [Visit] { seen.withLock { $0 } }

  /// Waits for a `.tell`.
  func told() async {
    var iterator = tells.stream.makeAsyncIterator()
    _ = await iterator.next()
  }

  /// Lets one `.wait` go on.
  func go() { gate.signal() }

  /// Waits until this side has closed a connection that no other caller has waited for.
  func ended() async {
    var iterator = ends.stream.makeAsyncIterator()
    _ = await iterator.next()
  }

  func stop() {
    gate.signal()
    _ = shutdown(listener, RawSocket.bothWays)
    open.withLock { for one in $0 { _ = shutdown(one, RawSocket.bothWays) } }
    tells.continuation.finish()
    ends.continuation.finish()
  }

  private func acceptAll() {
    var count = 0
    while true {
      let one = accept(listener, nil, nil)
      guard one >= 0 else { break }
      let number = count
      count += 1
      RawSocket.sendAtOnce(one)
      _ = open.withLock { $0.insert(one) }
      Thread.detachNewThread { [self] in
        serve(one, number)
        _ = open.withLock { $0.remove(one) }
        close(one)
        ends.continuation.yield()
      }
    }
    close(listener)
  }

  private func serve(_ one: Int32, _ number: Int) {
    var reader = RawRequestReader(one, readsBodies: readsBodies)
    while let (method, target, body) = reader.next() {
      let visit = Visit(connection: number, method: method, target: target, body: body)
      seen.withLock { $0.append(visit) }
      guard run(script(visit), one, &reader) else { return }
    }
  }

  /// Whether the connection continues.
  private func run(_ steps: [Step], _ one: Int32, _ reader: inout RawRequestReader) -> Bool {
    for step in steps {
      switch step {
      case .send(let bytes):
        guard RawSocket.sendAll(one, bytes) else { return false }
      case .pause(let milliseconds):
        Thread.sleep(forTimeInterval: Double(milliseconds) / 1_000)
      case .run(let work):
        work()
      case .wait:
        gate.wait()
      case .tell:
        tells.continuation.yield()
      case .endless(let bytes):
        while RawSocket.sendAll(one, bytes) {}
        return false
      case .hold:
        reader.drain()
        return false
      case .keep:
        return true
      case .reset:
        RawSocket.resetAtClose(one)
        return false
      }
    }
    return false
  }
}

extension RawPeer {
  /// A response with a length, after which the connection stays.
  static func answer(_ text: String) -> [UInt8] {
    Array("HTTP/1.1 200 OK\r\nContent-Length: \(text.utf8.count)\r\n\r\n\(text)".utf8)
  }
}
