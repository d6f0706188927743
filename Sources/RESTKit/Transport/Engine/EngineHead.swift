/// The head of a response, as an engine delivers it.
struct EngineHead: Sendable {
  /// The status code of the final response.
  var status: Int
  /// "HTTP/1.0", "HTTP/1.1", "HTTP/2" or "HTTP/3"; empty if the engine does not say.
  var httpVersion: String
  /// The header lines.
  var headers: HTTPHeaders
}
