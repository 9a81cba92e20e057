/**
 * Encodes an argument of a command as a bulk string of RESP, the protocol of Redis
 * (https://redis.io/docs/latest/develop/reference/protocol-spec).
 */
export function bulk(argument: string | number): string {
  const text = String(argument);
  return `$${Buffer.byteLength(text)}\r\n${text}\r\n`;
}

/** The encoded keys and arguments of a script. Nearly all of them are the same in each call for a key. */
export interface EncodedCall {
  /** Decides which node of a cluster runs it. */
  hashTag: string;
  /** Number of bulk strings: the number of keys, the keys and the arguments. */
  count: number;
  bulks: string;
}
