/** Seconds; nginx asks again as often as its `valid=` says. */
const TTL_SECONDS = 1;
const HEADER_BYTES = 12;
const TYPE_A = 1;
const CLASS_IN = 1;
const FLAGS = { response: 0x8400, recursionDesired: 0x0100, noSuchName: 3 };

/**
 * The answer to a DNS query (RFC 1035) with one question: the addresses of a name, in an order of its own
 * each time.
 * @param addressesOf IPv4 addresses; empty: there is no such name
 * @returns undefined when the packet is no such query
 */
export function answerQuery(
  query: Buffer,
  addressesOf: (name: string) => readonly string[],
): Buffer | undefined {
  const question = readQuestion(query);
  if (question === undefined) return undefined;
  const known = addressesOf(question.name);
  const addresses = question.type === TYPE_A ? shuffled(known) : [];
  const header = Buffer.alloc(HEADER_BYTES);
  query.copy(header, 0, 0, 2);
  const wantsRecursion = query.readUInt16BE(2) & FLAGS.recursionDesired;
  header.writeUInt16BE(FLAGS.response | wantsRecursion | (known.length === 0 ? FLAGS.noSuchName : 0), 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(addresses.length, 6);
  return Buffer.concat([header, question.bytes, ...addresses.map(addressRecord)]);
}

function readQuestion(query: Buffer): { name: string; type: number; bytes: Buffer } | undefined {
  if (query.length < HEADER_BYTES || query.readUInt16BE(4) !== 1) return undefined;
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (;;) {
    const length = query[at];
    if (length === undefined || length > 63) return undefined;
    at += 1;
    if (length === 0) break;
    labels.push(query.toString('latin1', at, at + length));
    at += length;
  }
  if (query.length < at + 4) return undefined;
  const bytes = query.subarray(HEADER_BYTES, at + 4);
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at), bytes };
}

function addressRecord(address: string): Buffer {
  const record = Buffer.alloc(16);
  // The name is that of the question.
  record.writeUInt16BE(0xc000 | HEADER_BYTES, 0);
  record.writeUInt16BE(TYPE_A, 2);
  record.writeUInt16BE(CLASS_IN, 4);
  record.writeUInt32BE(TTL_SECONDS, 6);
  record.writeUInt16BE(4, 10);
  for (const [index, part] of address.split('.').entries()) record.writeUInt8(Number(part), 12 + index);
  return record;
}

function shuffled(addresses: readonly string[]): string[] {
  return addresses
    .map((address) => ({ address, order: Math.random() }))
    .sort((one, other) => one.order - other.order)
    .map(({ address }) => address);
}
