/** Cyclic redundancy check, highest bit first, from 0. zlib's crc32 takes the lowest bit first. */
export function crc(bytes: Buffer, bits: 8 | 16 | 32, polynomial: number): number {
  const top = 2 ** (bits - 1);
  const mask = 2 ** bits - 1;
  let sum = 0;
  for (const byte of bytes) {
    sum = (sum ^ (byte << (bits - 8))) >>> 0;
    for (let bit = 0; bit < 8; bit++) {
      sum = ((sum & top) === 0 ? sum << 1 : (sum << 1) ^ polynomial) >>> 0;
    }
    sum = (sum & mask) >>> 0;
  }
  return sum;
}
