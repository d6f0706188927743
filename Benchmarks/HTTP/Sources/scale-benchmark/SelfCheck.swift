import Foundation
import FoundationXML
import Measuring

/// A check of what needs no server: the rule for bends, the bodies, the sums, the table and the
/// drawing.
enum SelfCheck {
  /// - Throws: ``Unsound`` that names what is wrong.
  static func run() throws {
    let faults = (bends + bodies + figures + scales + limits + (try pictures)).filter { !$0.isTrue }
    guard faults.isEmpty else {
      throw Unsound("the check failed: " + faults.map(\.text).joined(separator: "; "))
    }
  }

  private typealias Claim = (text: String, isTrue: Bool)

  private static var bends: [Claim] {
    func bend(_ costs: [Double?]) -> Int? {
      Bend(in: costs.enumerated().map { ($0.offset, $0.element) })?.value
    }
    return [
      ("a line without points is flat", bend([]) == nil),
      ("a line of gaps is flat", bend([nil, nil]) == nil),
      ("a line that falls is flat", bend([9, 5, 3]) == nil),
      ("1.25 times the lowest is flat", bend([8, 4, 5]) == nil),
      ("the first point above it is the bend", bend([8, 4, 5, 5.1, 50]) == 3),
      ("the lowest counts, not the one before", bend([4, 4.9, 5.9]) == 2),
      ("only the lowest so far counts", bend([8, 9, 2]) == nil),
      ("a gap is no bend", bend([4, nil, 6]) == 2),
      (
        "a bend names the lowest cost before it",
        Bend(in: [(1, 4), (2, 2), (3, 3)]) == Bend(value: 3, cost: 3, lowest: 2)
      ),
    ]
  }

  private static var bodies: [Claim] {
    let lines = Data("000000000000000\n000000000000001\n".utf8)
    let large = 200_000
    let body = Body(bytes: large)
    func data(changing offset: Int) -> Data {
      var lines = Data()
      for number in 0...(large / 16) { lines += Data(String(format: "%015d\n", number).utf8) }
      lines = lines.prefix(large)
      if offset < large { lines[offset] ^= 1 }
      return lines
    }
    return [
      ("a body is its numbered lines", Body(bytes: 32).isEqual(to: lines)),
      ("a short body is cut", Body(bytes: 20).isEqual(to: lines.prefix(20))),
      ("a body of one byte is right", Body(bytes: 1).isLike(Data("0".utf8))),
      ("a large body is right", body.isEqual(to: data(changing: large))),
      ("a large body is like itself", body.isLike(data(changing: large))),
      ("each byte is compared", !body.isEqual(to: data(changing: 100_003))),
      ("a line of each 64 KiB is looked at", !body.isLike(data(changing: 65_551))),
      ("the length is looked at", !body.isLike(data(changing: large).dropLast())),
      (
        "a slice is compared from its begin",
        body.isLike((Data([0]) + data(changing: large)).dropFirst())
      ),
    ]
  }

  private static var figures: [Claim] {
    var survey = Survey()
    let point = Point(axis: .hosts, value: 10)
    let one = Figures(
      times: [1, 3], processorTimes: [10, 30], growth: 5, threads: 2, descriptors: 9)
    let two = Figures(times: [8], processorTimes: [20], growth: 4, threads: 3, descriptors: 8)
    try? survey.add(.measured(one), of: point)
    try? survey.add(.measured(two), of: point)
    let sum = survey[point]?.figures
    try? survey.add(.impossible("no"), of: point)
    try? survey.add(.measured(one), of: point)
    var isStopped = false
    do { try survey.add(.wrong("bytes"), of: point) } catch { isStopped = true }
    return [
      ("a median is between the middle ones", one.time == 2),
      ("runs are one sample", sum?.time == 3 && sum?.processorTime == 20),
      ("the larger amounts count", sum?.growth == 5 && sum?.threads == 3 && sum?.descriptors == 9),
      ("what cannot run once cannot run", survey[point] == .impossible("no")),
      ("a wrong body stops the run", isStopped),
    ]
  }

  private static var scales: [Claim] {
    let scale = LogScale(numbers: 1...10_000, start: 0, end: 400)
    let noise = LogScale(showing: [20, 24], floor: 1, start: 100, end: 0)
    let flat = LogScale(showing: [100], floor: 1, start: 0, end: 1)
    return [
      ("a decade has its share", abs(scale.position(of: 100) - 200) < 1e-6),
      ("beyond the scale is its end", scale.position(of: 0) == 0 && scale.position(of: 1e9) == 400),
      ("a scale has its powers of ten", scale.ticks == [1, 10, 100, 1_000, 10_000]),
      ("noise is shown on a whole decade", noise.numbers == 10...100),
      ("a power of ten begins its decade", flat.numbers == 100...1_000),
      (
        "no values have a scale",
        LogScale(showing: [], floor: 1, start: 0, end: 1).ticks == [1, 10]
      ),
    ]
  }

  private static var limits: [Claim] {
    func lack(_ point: Point, _ limit: Int) -> String? {
      PointRun.lack(of: point, open: 10, limit: limit)
    }
    let many = Point(axis: .hosts, value: 1_000)
    return [
      ("one host has six connections", lack(Point(axis: .callers, value: 10_000), 24) == nil),
      ("one less is too few", lack(Point(axis: .callers, value: 10_000), 23) != nil),
      ("many hosts have one for each caller", lack(many, 82) == nil && lack(many, 81) != nil),
      ("many calls have eight parts", PointRun.slices(of: 10_000, callers: 8) == 8),
      ("a part has four calls of each caller", PointRun.slices(of: 64, callers: 8) == 2),
      ("few calls are one part", PointRun.slices(of: 16, callers: 8) == 1),
      ("the remedy is named", lack(many, 64)?.contains("ulimit -n") == true),
    ]
  }

  private static func isXML(_ text: String) -> Bool {
    XMLParser(data: Data(text.utf8)).parse()
  }

  private static var pictures: [Claim] {
    get throws {
      var survey = Survey()
      let gaps = [Point(axis: .size, value: 1 << 24), Point(axis: .callers, value: 100)]
      for point in Axis.allCases.flatMap(\.points) {
        let cost = point.axis == .hosts && point.value >= 300 ? 60.0 : 30
        try survey.add(
          gaps.contains(point)
            ? .impossible("a < b & c | `d`")
            : .measured(
              Figures(
                times: [cost], processorTimes: [cost], growth: 1 << 20, threads: 3, descriptors: 9)),
          of: point)
      }
      let svg = Drawing(survey: survey).svg
      let table = ScaleTable(survey: survey, load: "Quiet.").text
      let lines = svg.split(separator: "\n")
      return [
        ("the picture is well-formed", isXML(svg)),
        ("it has no script and no link", !svg.contains("<script") && !svg.contains("href")),
        ("it is readable in the dark", svg.contains("prefers-color-scheme: dark")),
        ("it scales", svg.contains(#"viewBox="0 0 400 "#)),
        ("it says where a line bends", svg.contains(">bends at 300, from 30 to 60 µs</text>")),
        ("it says which is flat", svg.contains(">flat to 10,000</text>")),
        ("flat ends where measuring ends", svg.contains(">flat to 4 MiB</text>")),
        ("it marks the one bend", lines.filter { $0.hasPrefix("<line class=\"bend\"") }.count == 1),
        ("it marks the points that cannot run", svg.components(separatedBy: ">×<").count == 3),
        (
          "a line has a gap there",
          lines.filter { $0.hasPrefix("<g class=\"cpu\"") }.count == 1 + 2 + 1 + 1
        ),
        ("its words say why", svg.contains("100 callers: cannot run: a &lt; b &amp; c")),
        ("its words have all figures", svg.contains("10 callers: 30 µs of processor time")),
        ("the table says why a point cannot run", table.contains("| 16 MiB | cannot run: a < b")),
        (
          "the table has each point",
          Axis.allCases.flatMap(\.points).allSatisfy {
            table.contains("| \($0.name) | ")
          }
        ),
        ("thousands have commas", 18_189.4.grouped == "18,189" && 44.4.grouped == "44"),
        ("the table says where lines bend", table.contains("hosts: bends at 300")),
        ("an empty survey is drawn", isXML(Drawing(survey: Survey()).svg)),
      ]
    }
  }
}
