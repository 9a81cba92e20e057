const HEADER_BYTES = 44;
const UNCOMPRESSED = 1;
const BYTES_PER_SAMPLE = 2;

/** Makes a WAV file with one channel of 16-bit samples. */
export function encodeWav(pcm: Buffer, sampleRate: number): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  header.write('RIFF', 0, 'latin1');
  header.writeUInt32LE(HEADER_BYTES - 8 + pcm.length, 4);
  header.write('WAVEfmt ', 8, 'latin1');
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(UNCOMPRESSED, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(sampleRate, 24);
  header.writeUInt32LE(sampleRate * BYTES_PER_SAMPLE, 28);
  header.writeUInt16LE(BYTES_PER_SAMPLE, 32);
  header.writeUInt16LE(8 * BYTES_PER_SAMPLE, 34);
  header.write('data', 36, 'latin1');
  header.writeUInt32LE(pcm.length, 40);
  return Buffer.concat([header, pcm]);
}

/** Returns the seconds of a WAV file according to its headers; undefined if it is no WAV file. */
export function wavSeconds(file: Buffer): number | undefined {
  if (file.length < 12 || file.toString('latin1', 0, 4) !== 'RIFF') return undefined;
  if (file.toString('latin1', 8, 12) !== 'WAVE') return undefined;
  let bytesPerSecond = 0;
  for (let at = 12; at + 8 <= file.length; ) {
    const id = file.toString('latin1', at, at + 4);
    const length = file.readUInt32LE(at + 4);
    if (id === 'fmt ' && at + 20 <= file.length) bytesPerSecond = file.readUInt32LE(at + 16);
    if (id === 'data') {
      // A recorder that streams does not know the length, and writes the largest possible number.
      const present = Math.min(length, file.length - at - 8);
      return bytesPerSecond === 0 ? undefined : present / bytesPerSecond;
    }
    at += 8 + length + (length % 2);
  }
  return undefined;
}
