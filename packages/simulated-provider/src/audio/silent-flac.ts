import { crc } from './crc.ts';

const SAMPLE_RATE = 24_000;
const BLOCK_SAMPLES = 4096;
/** Sync code with blocks of one size; 4096 samples at 24 kHz; one channel of 16 bits. */
const FRAME_HEADER = Buffer.from('fff8c708', 'hex');
/** A constant subframe: every sample is 0. */
const SUBFRAME = Buffer.from('000000', 'hex');

/** Silence as FLAC (RFC 9639), in whole blocks. */
export function silentFlac(seconds: number): Buffer {
  const blocks = Math.max(1, Math.round((seconds * SAMPLE_RATE) / BLOCK_SAMPLES));
  return Buffer.concat([streamInfo(blocks), ...Array.from({ length: blocks }, (_, number) => frame(number))]);
}

/** The signature and the one mandatory metadata block. Frame sizes and checksum are 0, for unknown. */
function streamInfo(blocks: number): Buffer {
  const info = Buffer.alloc(8 + 34);
  info.write('fLaC', 'latin1');
  info.writeUInt32BE(0x80000000 + 34, 4);
  info.writeUInt16BE(BLOCK_SAMPLES, 8);
  info.writeUInt16BE(BLOCK_SAMPLES, 10);
  // 20 bits sample rate, 3 bits channels - 1, 5 bits bits per sample - 1, 36 bits samples.
  info.writeBigUInt64BE((BigInt(SAMPLE_RATE) << 44n) | (15n << 36n) | BigInt(blocks * BLOCK_SAMPLES), 18);
  return info;
}

function frame(number: number): Buffer {
  // Frame numbers are encoded in the way of UTF-8.
  const header = Buffer.concat([FRAME_HEADER, Buffer.from(String.fromCodePoint(number))]);
  const headerSum = Buffer.from([crc(header, 8, 0x07)]);
  const body = Buffer.concat([header, headerSum, SUBFRAME]);
  const footer = Buffer.alloc(2);
  footer.writeUInt16BE(crc(body, 16, 0x8005));
  return Buffer.concat([body, footer]);
}
