extension UnsafeBufferPointer<UInt8> {
  /// The place of the first byte that begins, or is, no UTF-8.
  var placeOfInvalidUTF8: Int? {
    var (decoder, bytes, place) = (UTF8(), makeIterator(), 0)
    while true {
      switch decoder.decode(&bytes) {
      case .scalarValue(let scalar): place += UTF8.width(scalar)
      case .emptyInput: return nil
      case .error: return place
      }
    }
  }
}
