extension UnsafeBufferPointer<UInt8> {
  /// The position of the first byte at which the text is not UTF-8.
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
