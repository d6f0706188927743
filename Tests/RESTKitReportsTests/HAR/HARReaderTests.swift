import Fixtures
import Foundation
import RESTKit
import Testing

@testable import RESTKit
@testable import RESTKitReports

@Suite("ST-11: reading HAR 1.2")
struct HARReaderTests {
  @Test("The golden files are HAR 1.2", arguments: ["refresh.har", "browser.har"])
  func golden(name: String) throws {
    #expect(try HARFixtures.violations(HARFixtures.golden(name)) == [])
  }

  @Test("The schema refuses invalid files")
  func schema() throws {
    var document = try HARFixtures.json(HARFixtures.golden("refresh.har"))
    document["log"]?["creator"] = nil
    document["log"]?["extra"] = 1
    #expect(
      HARSchema.violations(in: document)
        == [".log.creator is missing", ".log.extra is not in HAR 1.2"])
    #expect(HARSchema.violations(in: ["log": []]) == [".log is not an object"])
  }

  @Test("A file that is read and written is the same, with unknown fields")
  func roundTrip() throws {
    let data = try HARFixtures.golden("browser.har")
    let written = try HAR(data).data
    let before = try HARFixtures.json(data)
    #expect(try HARFixtures.json(written) == before)
    #expect(String(decoding: written, as: UTF8.self).contains("_initiator"))
    #expect(try HAR(written).data == written)
  }

  @Test("Of members with the same name, the last counts")
  func repeatedMember() {
    let value: JSONValue = ["a": 1, "b": 2, "a": 3]
    #expect(value == ["a": 3, "b": 2])
  }

  @Test("A byte order mark is skipped")
  func mark() throws {
    let data = try HARFixtures.golden("refresh.har")
    #expect(try HAR(Data([0xEF, 0xBB, 0xBF]) + data) == HAR(data))
  }

  @Test(
    "An unusable part is named, and nothing of it is shown",
    arguments: [
      ("", "the file is not JSON"),
      ("[]", "log is not an object"),
      (#"{"log": {"entries": {"canary": 1}}}"#, "log.entries is not an array"),
      (#"{"log": {"entries": [{"canary": 1}]}}"#, "log.entries[0].request.url is not a string"),
      (
        #"{"log": {"entries": [{"request": {"url": "canary"}}]}}"#,
        "log.entries[0].request.url is not an absolute URL"
      ),
      (
        #"{"log": {"entries": [{"request": {"url": "http://h/", "method": "GET"}, "response": {"status": 1.5}}]}}"#,
        "log.entries[0].response.status is not a status code"
      ),
      (
        #"{"log": {"entries": [{"request": {"url": "http://h/", "method": "GET"}, "response": {"status": 200, "headers": [{"name": "canary"}]}}]}}"#,
        "log.entries[0].response.headers[0] is not an object with a name and a value"
      ),
      (
        #"{"log": {"entries": [{"request": {"url": "http://h/", "method": "GET"}, "response": {"status": 200, "headers": [], "content": {"text": "canary!", "encoding": "base64"}}}]}}"#,
        "log.entries[0].response.content.text is not base64"
      ),
    ])
  func refusals(text: String, reason: String) throws {
    let error = try #require(throws: HARError.self) { try HAR(Data(text.utf8)) }
    #expect("\(error)" == "The HAR file cannot be used: \(reason). Export it again as HAR 1.2.")
    for text in allTexts(of: error) { #expect(!text.contains("canary")) }
  }
}
