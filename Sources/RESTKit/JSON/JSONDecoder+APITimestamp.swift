import Foundation

extension JSONDecoder.DateDecodingStrategy {
  /// A strategy for dates as APIs on .NET write them: `2026-02-03T04:05:06.1234567`, in UTC.
  ///
  /// A fraction of one to seven digits and a `Z` at the end are optional. Any other format fails with
  /// `DecodingError.dataCorrupted`. The error has the coding path and the shape of the text, not the
  /// text.
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
