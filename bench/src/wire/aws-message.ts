import { crc32 } from 'node:zlib';

const PRELUDE_BYTES = 12;
const CRC_BYTES = 4;
const TEXT_HEADER = 7;

/** Serializes a message of an AWS event stream, each byte one character. @param json ASCII only */
export function awsMessage(type: string, json: string): string {
  const headers = Buffer.concat([
    header(':event-type', type),
    header(':content-type', 'application/json'),
    header(':message-type', 'event'),
  ]);
  const message = Buffer.alloc(PRELUDE_BYTES + headers.length + json.length + CRC_BYTES);
  message.writeUInt32BE(message.length, 0);
  message.writeUInt32BE(headers.length, 4);
  message.writeUInt32BE(crc32(message.subarray(0, PRELUDE_BYTES - CRC_BYTES)), PRELUDE_BYTES - CRC_BYTES);
  headers.copy(message, PRELUDE_BYTES);
  message.write(json, PRELUDE_BYTES + headers.length, 'latin1');
  message.writeUInt32BE(crc32(message.subarray(0, -CRC_BYTES)), message.length - CRC_BYTES);
  return message.toString('latin1');
}

/** Serializes the length of the name, the name, the type of the value, its length and the value. */
function header(name: string, value: string): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(value.length);
  return Buffer.concat([
    Buffer.of(name.length),
    Buffer.from(name),
    Buffer.of(TEXT_HEADER),
    length,
    Buffer.from(value),
  ]);
}
