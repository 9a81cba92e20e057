/** Returns transferable bytes. Copies a chunk that shares its memory with others. */
export function movable(chunk: Buffer): Uint8Array<ArrayBuffer> {
  const { buffer } = chunk;
  const isWhole = buffer instanceof ArrayBuffer && buffer.byteLength === chunk.byteLength;
  return isWhole ? new Uint8Array(buffer) : Uint8Array.from(chunk);
}

/** Wraps the bytes in a Buffer, without a copy. */
export function bufferOf({ buffer, byteOffset, length }: Uint8Array<ArrayBuffer>): Buffer {
  return Buffer.from(buffer, byteOffset, length);
}
