import Foundation

extension [URLQueryItem] {
  /// The fields of a token request, without those that have no value.
  package static func grant(_ type: String, _ fields: [(name: String, value: String?)]) -> Self {
    [URLQueryItem(name: "grant_type", value: type)]
      + fields.compactMap { name, value in value.map { URLQueryItem(name: name, value: $0) } }
  }
}
