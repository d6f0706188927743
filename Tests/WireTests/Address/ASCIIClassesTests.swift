import Testing

@testable import HTTPWire
@testable import RESTKit

@Suite("The classes of bytes in URLs")
struct ASCIIClassesTests {
  private func bytes(_ text: String) -> Set<UInt8> { Set(text.utf8) }

  private func all(_ isMember: (UInt8) -> Bool) -> Set<UInt8> {
    Set((0...UInt8.max).filter(isMember))
  }

  private let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
  private let digits = "0123456789"

  @Test("Each class has the members of RFC 3986, of all 256 bytes")
  func members() {
    #expect(all(\.isASCIILetter) == bytes(letters))
    #expect(all(\.isASCIIDigit) == bytes(digits))
    #expect(all(\.isASCIIControl) == Set(0..<0x20).union([0x7F]))
    #expect(all(\.isUnreserved) == bytes(letters + digits + "-._~"))
    #expect(all(\.isPathCharacter) == bytes(letters + digits + "-._~!$&'()*+,;=:@"))
  }

  @Test("Hexadecimal digits are read in both cases and written in capitals")
  func hexadecimal() {
    #expect(all { $0.hexDigitValue != nil } == bytes(digits + "abcdefABCDEF"))
    #expect("0123456789abcdef".utf8.map(\.hexDigitValue) == (0..<16).map(Optional.some))
    #expect("ABCDEF".utf8.map(\.hexDigitValue) == (10..<16).map(Optional.some))
    #expect((0..<UInt8(16)).map(\.asHexDigit) == Array("0123456789ABCDEF".utf8))
  }
}
