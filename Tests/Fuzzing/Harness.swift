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
  if text.utf8.starts(with: "http".utf8) {
    // The case of the scheme decides which of two readers sees the text.
    precondition((try? BaseURL(text)) == (try? BaseURL("HTTP" + text.dropFirst(4))))
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
  checkLines(of: body)
  return 0
}

/// Lines, records and events are the same whether a body comes whole or a byte at a time.
private func checkLines(of body: Data) {
  let bytes = body.map { Data([$0]) }
  precondition(lines(of: [body], ended: LineFeeds()) == lines(of: bytes, ended: LineFeeds()))
  precondition(lines(of: [body], ended: JSONRecords()) == lines(of: bytes, ended: JSONRecords()))
  precondition(events(of: [body]) == events(of: bytes))
}

private func lines(of chunks: [Data], ended ending: some LineEnding) -> [String] {
  var scanner = LineScanner(ending, limit: 64)
  var lines: [String] = []
  do throws(LineError) {
    for chunk in chunks {
      scanner.receive(chunk)
      while let line = try scanner.next({ String(decoding: $0, as: UTF8.self) }) {
        precondition(line.utf8.count <= 3 * 64)
        lines.append(line)
      }
    }
    scanner.end()
    while let line = try scanner.next({ String(decoding: $0, as: UTF8.self) }) {
      lines.append(line)
    }
  } catch {
    lines.append("\(error)")
  }
  return lines
}

private func events(of chunks: [Data]) -> [ServerSentEvent] {
  var parser = ServerSentEventParser(limit: 64)
  var events: [ServerSentEvent] = []
  do throws(LineError) {
    for chunk in chunks {
      parser.receive(chunk)
      while let event = try parser.next() { events.append(event) }
    }
  } catch {
    events.append(ServerSentEvent(type: "error", data: "\(error)"))
  }
  return events
}
