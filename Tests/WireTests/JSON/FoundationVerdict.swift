import Fixtures
import Foundation

@testable import HTTPWire
@testable import RESTKit

/// A whole document as `JSONDecoder` reads it: nothing in it goes unread, so nothing unchecked.
indirect enum DecodedJSON: Decodable, Equatable {
  case null
  case bool(Bool)
  case number(Double)
  case string(String)
  case array([DecodedJSON])
  case object([String: DecodedJSON])

  private struct AnyKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  init(from decoder: any Decoder) throws {
    if var list = try? decoder.unkeyedContainer() {
      var elements: [DecodedJSON] = []
      while !list.isAtEnd { elements.append(try list.decode(DecodedJSON.self)) }
      self = .array(elements)
    } else if let object = try? decoder.container(keyedBy: AnyKey.self) {
      var members: [String: DecodedJSON] = [:]
      for key in object.allKeys {
        members[key.stringValue] = try object.decode(DecodedJSON.self, forKey: key)
      }
      self = .object(members)
    } else {
      let value = try decoder.singleValueContainer()
      if value.decodeNil() {
        self = .null
      } else if let bool = try? value.decode(Bool.self) {
        self = .bool(bool)
      } else if let string = try? value.decode(String.self) {
        self = .string(string)
      } else {
        self = .number(try value.decode(Double.self))
      }
    }
  }
}

/// Foundation's verdict on a body.
enum FoundationVerdict {
  static func decoderAccepts(_ body: Data) -> Bool {
    (try? JSONDecoder().decode(DecodedJSON.self, from: body)) != nil
  }

  static func serializationAccepts(_ body: Data) -> Bool {
    (try? JSONSerialization.jsonObject(with: body, options: .fragmentsAllowed)) != nil
  }
}

/// RESTKit's verdict on a body.
enum EnvelopeVerdict {
  static func accepts(_ body: Data) -> Bool {
    error(for: body) == nil
  }

  static func error(for body: Data) -> JSONSyntaxError? {
    do throws(JSONSyntaxError) {
      _ = try JSONEnvelope.unwrap(body, key: "result")
      return nil
    } catch {
      return error
    }
  }
}
