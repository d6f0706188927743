import Streams

extension DiagramCodes {
  func addSharing() throws {
    let source = numbers()
    try code("autoconnect") { source.makeConnectable().autoconnect() }
    try code("makeConnectable") { source.makeConnectable().autoconnect() }
    try code("multicast") { source.multicast { PassthroughSubject() }.autoconnect() }
    try code("multicast") {
      source.multicast(subject: PassthroughSubject()).autoconnect()
    }
    try code("share") { source.share() }
    try code("share") { source.share(replay: 1) }
  }
}
