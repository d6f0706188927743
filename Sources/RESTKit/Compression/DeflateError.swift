/// The error of a system's compressor that refuses to go on.
///
/// Its output so far is no whole file, so it must not be sent as one.
struct DeflateError: Error {
  /// The error in words, for a `TransportError`.
  var text: String { "the system's compressor failed; send the body without requestCompression" }
}
