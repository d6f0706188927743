// snippet: begin
import NIOCore
import RESTKit
import RESTKitAsyncHTTPClient

struct OrdersAPI: RESTAPI {
  let baseURL: String
  let transport: any Transport

  init(baseURL: String, eventLoops: any EventLoopGroup) {
    self.baseURL = baseURL
    transport = AsyncHTTPClientTransport(eventLoopGroup: eventLoops)
  }
}
// end
