import Foundation

/// Called by libFuzzer with each input; `run.sh` builds it together with the sources it calls.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> Int32 {
  let body = Data(UnsafeBufferPointer(start: start, count: count))
  if let slice = try? JSONEnvelope.unwrap(body, key: "result"), slice != body {
    precondition(slice.first == UInt8(ascii: "{") && slice.last == UInt8(ascii: "}"))
  }
  let text = String(decoding: body, as: UTF8.self)
  if let url = try? BaseURL("https://h/v1").url(endpoint: text) {
    let path = url.absoluteString.dropFirst("https://h".count)
    precondition(path == "/v1" || path.hasPrefix("/v1/"))
  }
  if let base = try? BaseURL(text), let url = try? base.url(endpoint: "a") {
    precondition(url.scheme == base.scheme && url.user == nil && url.query == nil)
  }
  if let source = URL(string: "https://h/v1/go"),
    let url = RedirectTarget.url(text, from: source)
  {
    precondition(url.host?.isEmpty == false)
  }
  if let date = HTTPDate.secondsSince1970(text, now: 784_111_777) {
    precondition(-62_135_596_800...253_402_300_800 ~= date)
  }
  if let wait = RetryAfter.seconds(text, now: 784_111_777) {
    precondition(0...RetryAfter.longest ~= wait)
  }
  return 0
}
