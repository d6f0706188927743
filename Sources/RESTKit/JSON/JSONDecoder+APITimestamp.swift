import Foundation

extension JSONDecoder.DateDecodingStrategy {
  /// Dates as APIs on .NET write them: `2026-02-03T04:05:06.1234567`, in UTC.
  ///
  /// A fraction of none to seven digits and a `Z` at the end are optional; nothing else is
  /// accepted. What is not of this form fails with `DecodingError.dataCorrupted`, which has the
  /// coding path and tells the shape of the text, not the text.
  public static var apiTimestamp: JSONDecoder.DateDecodingStrategy {
    .custom { decoder in
      let container = try decoder.singleValueContainer()
      let text = try container.decode(String.self)
      do throws(APITimestampError) {
        return try APITimestamp.date(from: text)
      } catch {
        throw DecodingError.dataCorrupted(
          DecodingError.Context(
            codingPath: decoder.codingPath, debugDescription: error.description,
            underlyingError: error))
      }
    }
  }
}
