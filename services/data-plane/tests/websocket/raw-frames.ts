/** Opcodes, and the bit of a last fragment (RFC 6455, section 5.2). */
export const TEXT = 0x1;
export const CLOSE = 0x8;
export const PING = 0x9;
export const PONG = 0xa;
export const LAST = 0x80;
/** A data frame with a reserved opcode. */
export const BROKEN = Buffer.from([0x83, 0x80, 0, 0, 0, 0]);

/** Makes a short frame. Its mask is zero, so that the payload stays as it is. */
export function frame(opcode: number, payload: string): Buffer {
  return Buffer.concat([Buffer.from([opcode, 0x80 | payload.length, 0, 0, 0, 0]), Buffer.from(payload)]);
}
