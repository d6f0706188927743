import Foundation
import Streams

// The declarations that the calls of the diagrams name.
extension DiagramCodes {
  struct Refused: Error {}

  struct Wrapped: Error {
    let error: any Error

    init(_ error: any Error) {
      self.error = error
    }
  }

  struct Pair {
    let first: Int
    let second: Int
  }

  struct Triple {
    let first: Int
    let second: Int
    let third: Int
  }

  /// Accepts logged text and discards it.
  struct DiagramLog: TextOutputStream {
    func write(_ string: String) {}
    func callAsFunction(_ value: Int) {}
  }

  /// Foundation's decoder, as Streams wants one.
  struct JSONDecoder: TopLevelDecoder {
    func decode<Item: Decodable>(_ type: Item.Type, from input: Data) throws -> Item {
      try Foundation.JSONDecoder().decode(type, from: input)
    }
  }

  /// Foundation's encoder, as Streams wants one.
  struct JSONEncoder: TopLevelEncoder {
    func encode<Item: Encodable>(_ value: Item) throws -> Data {
      try Foundation.JSONEncoder().encode(value)
    }
  }
}

extension Data: DiagramShown {
  var shown: String { "Data(\"\(String(decoding: self, as: UTF8.self))\".utf8)" }
}
