import Foundation

/// A body that cannot be read: whoever tries to send it fails.
final class RefusingInputStream: InputStream {
  init() { super.init(data: Data()) }

  override func open() {}
  override func close() {}
  override var hasBytesAvailable: Bool { true }
  override var streamStatus: Stream.Status { .open }
  override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength len: Int) -> Int { -1 }
}
