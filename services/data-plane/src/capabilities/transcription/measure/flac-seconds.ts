const LONGEST_HEADER = 16;
/** Sample rates by the code in a frame header; 0: as in STREAMINFO, which a hostile file may repeat. */
const HERTZ = [0, 88_200, 176_400, 192_000, 8_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 96_000];

/**
 * Returns how long the FLAC frames in these bytes play (RFC 9639, section 9.1). A packet may hold several:
 * the library appends a frame with an unexpected number to the frame before it.
 */
export function flacSeconds(packet: Uint8Array): number {
  const bytes = Buffer.from(packet.buffer, packet.byteOffset, packet.byteLength);
  const sync = bytes.subarray(0, 2);
  let seconds = 0;
  for (let at = 0; at !== -1; at = bytes.indexOf(sync, at + 2)) {
    seconds += frameSeconds(bytes.subarray(at, at + LONGEST_HEADER));
  }
  return seconds;
}

/** @returns 0 unless the bytes are a frame header with a right checksum */
function frameSeconds(head: Buffer): number {
  const [first, second = 0, codes = 0, more = 0, number = 0] = head;
  if (first !== 0xff || (second & 0xfe) !== 0xf8 || (more & 1) !== 0) return 0;
  const blockCode = codes >> 4;
  const hertzCode = codes & 0x0f;
  // The frame number is encoded like a UTF-8 character.
  const ones = Math.clz32(~(number << 24));
  if (blockCode === 0 || hertzCode === 15 || ones === 1 || ones > 7) return 0;
  let at = 4 + Math.max(1, ones);
  const take = (size: number) => {
    if (at + size >= head.length) return 0;
    at += size;
    return head.readUIntBE(at - size, size);
  };
  const samples =
    blockCode > 7
      ? 256 << (blockCode - 8)
      : blockCode > 5
        ? take(blockCode - 5) + 1
        : blockSamples(blockCode);
  const hertz =
    hertzCode < 12
      ? (HERTZ[hertzCode] ?? 0)
      : hertzCode === 12
        ? take(1) * 1_000
        : take(2) * (hertzCode === 13 ? 1 : 10);
  return crc8(head.subarray(0, at)) === head[at] && hertz > 0 ? samples / hertz : 0;
}

function blockSamples(code: number): number {
  return code === 1 ? 192 : 576 << (code - 2);
}

function crc8(bytes: Buffer): number {
  let crc = 0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 0x80 ? ((crc << 1) ^ 0x07) & 0xff : crc << 1;
  }
  return crc;
}
