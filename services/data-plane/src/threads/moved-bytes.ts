/** Makes bytes that can be moved to another thread. Bytes that share their memory with others are copied. */
export function movable(chunk: Buffer): Uint8Array<ArrayBuffer> {
  const { buffer } = chunk;
  const isWhole = buffer instanceof ArrayBuffer && buffer.byteLength === chunk.byteLength;
  return isWhole ? new Uint8Array(buffer) : Uint8Array.from(chunk);
}

/** The same bytes as a Buffer again, not copied. */
export function bufferOf({ buffer, byteOffset, length }: Uint8Array<ArrayBuffer>): Buffer {
  return Buffer.from(buffer, byteOffset, length);
}
