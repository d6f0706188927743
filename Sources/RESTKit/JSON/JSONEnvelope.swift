import Foundation

/// Takes the payload out of bodies such as `{"status": "ok", "result": {…}}`.
///
/// The body is checked in full against RFC 8259 in one pass over its bytes; nothing is parsed into
/// values and nothing is printed again, so numbers keep every digit and keys keep their order.
///
/// Where the standard leaves room, this follows `JSONDecoder`, so that a body the decoder would
/// take is not refused here:
/// - one trailing comma in an object or array is accepted;
/// - a UTF-8 byte order mark is skipped;
/// - any value may stand at the top level;
/// - 512 levels of nesting are accepted, 513 are not;
/// - of members with the same name, the first counts.
///
/// Where the two differ, on purpose:
/// - all of the body is checked, also the parts a decoded type would ignore;
/// - UTF-16 and UTF-32 are refused: RFC 8259, section 8.1, requires UTF-8;
/// - a number need only be well formed: whether `1e400` fits is for the type that decodes it;
/// - names are compared scalar by scalar after their escapes are undone, so `"res\u0075lt"` is
///   `result`, but the composed and the decomposed form of "é" are two names.
enum JSONEnvelope {
  /// Returns the object under `key`, as exactly the bytes that stand in `body`.
  ///
  /// - Parameters:
  ///   - body: The whole body of a response.
  ///   - key: The name of a member of the top-level object, without escapes.
  ///   - takesArrays: Whether an array under `key` is taken like an object.
  /// - Returns: The bytes of the object under `key`, with indices from zero; `body` itself, byte
  ///   order mark and all, when it is not an object, has no such member, or the member's value is
  ///   not an object.
  /// - Throws: ``JSONSyntaxError`` when `body` is not JSON, an empty one included.
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
    // A copy costs a few percent of the scan; a slice whose indices do not begin at zero would
    // trap whoever reads `data[0]`, and would keep the whole body alive.
    return body.subdata(in: body.startIndex + range.lowerBound..<body.startIndex + range.upperBound)
  }
}
