import Foundation

/// An extractor of the payload from bodies such as `{"status": "ok", "result": {…}}`.
///
/// It checks the whole body against RFC 8259 in one pass over its bytes. It does not parse values
/// or print them again, so that numbers keep every digit and keys keep their order.
///
/// Where the standard leaves a choice, it follows `JSONDecoder`, so that it accepts every body that
/// the decoder accepts:
/// - one trailing comma in an object or array is accepted;
/// - a UTF-8 byte order mark is skipped;
/// - the top level may be any value;
/// - 512 levels of nesting are accepted, 513 are not;
/// - of members with the same name, the first counts.
///
/// The intended differences from `JSONDecoder` are:
/// - the whole body is checked, also the parts that a decoded type would ignore;
/// - UTF-16 and UTF-32 are refused: RFC 8259, section 8.1, requires UTF-8;
/// - a number need only be well formed: the decoded type decides whether `1e400` fits;
/// - names are compared scalar by scalar after their escapes are decoded, so `"res\u0075lt"` is
///   `result`, but the composed and the decomposed form of "é" are two names.
enum JSONEnvelope {
  /// Returns the object under `key`, with its exact bytes in `body`.
  ///
  /// - Parameters:
  ///   - body: The whole body of a response.
  ///   - key: The name of a member of the top-level object, without escapes.
  ///   - takesArrays: Whether an array under `key` is extracted like an object.
  /// - Returns: The bytes of the object under `key`, with indices from zero. The result is `body`
  ///   itself, including a byte order mark, if it is not an object, has no such member, or the
  ///   member's value is not an object.
  /// - Throws: ``JSONSyntaxError`` if `body` is not JSON, for example if it is empty.
  static func unwrap(
    _ body: Data, key: String, includingArrays takesArrays: Bool = false
  ) throws(JSONSyntaxError) -> Data {
    let name = Array(key.utf8)
    let outcome = body.withUnsafeBytes { bytes in
      Result { () throws(JSONSyntaxError) in
        try JSONScanner(bytes).rangeOfObject(named: name, orArray: takesArrays)
      }
    }
    guard let range = try outcome.get() else { return body }
    // A copy costs a few percent of the scan. A slice whose indices do not begin at zero would trap
    // at `data[0]`, and would keep the whole body in memory.
    return body.subdata(in: body.startIndex + range.lowerBound..<body.startIndex + range.upperBound)
  }
}
