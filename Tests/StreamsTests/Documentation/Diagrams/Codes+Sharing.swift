import Streams

extension DiagramCodes {
  func addSharing() throws {
    let source = numbers()
    try code("Operators/Autoconnect") { source.makeConnectable().autoconnect() }
    try code("Operators/MakeConnectable") { source.makeConnectable().autoconnect() }
    try code("Operators/Multicast") { source.multicast { PassthroughSubject() }.autoconnect() }
    try code("Operators/Multicast") {
      source.multicast(subject: PassthroughSubject()).autoconnect()
    }
    try code("Operators/Share") { source.share() }
    try code("Operators/ShareReplay") { source.share(replay: 1) }
  }
}
