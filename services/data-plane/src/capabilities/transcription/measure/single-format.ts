const FIRST_CHUNK_AT = 12;
const HEADER = 8;

/** Returns true unless a WAV has several formats: the library goes by the last, decoders by the first. */
export function hasSingleFormat(file: Uint8Array): boolean {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
  let formats = 0;
  for (let at = FIRST_CHUNK_AT; at + HEADER <= bytes.length && formats < 2; ) {
    if (bytes.toString('latin1', at, at + 4) === 'fmt ') formats++;
    const size = bytes.readUInt32LE(at + 4);
    at += HEADER + size + (size % 2);
  }
  return formats < 2;
}
