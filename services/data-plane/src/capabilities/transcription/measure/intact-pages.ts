const HEADER = 27;
const CHECKSUM_AT = 22;
const CRC = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 24;
  for (let bit = 0; bit < 8; bit++) crc = (crc << 1) ^ (crc < 0 ? 0x04c11db7 : 0);
  return crc;
});

/**
 * Returns true if a file is one Ogg page after the other with right checksums (RFC 3533, section 6). The
 * library checks none, but decoders drop a page with a wrong checksum, and find other pages within it.
 */
export function hasIntactPages(file: Uint8Array): boolean {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
  let at = 0;
  while (at + HEADER <= bytes.length && bytes.toString('latin1', at, at + 4) === 'OggS') {
    const laces = bytes.readUInt8(at + HEADER - 1);
    let size = HEADER + laces;
    for (let lace = 0; lace < laces; lace++) size += bytes[at + HEADER + lace] ?? 0;
    if (at + size > bytes.length) break;
    if (checksum(bytes.subarray(at, at + size)) !== bytes.readUInt32LE(at + CHECKSUM_AT)) return false;
    at += size;
  }
  // A recording may break off within its last page.
  return bytes.indexOf('OggS', at + 1, 'latin1') === -1;
}

/** Computes the checksum of a page, with zeros in its place. */
function checksum(page: Buffer): number {
  let crc = 0;
  for (let at = 0; at < page.length; at++) {
    const isChecksum = at >= CHECKSUM_AT && at < CHECKSUM_AT + 4;
    const byte = isChecksum ? 0 : (page[at] ?? 0);
    crc = (crc << 8) ^ (CRC[(crc >>> 24) ^ byte] ?? 0);
  }
  return crc >>> 0;
}
