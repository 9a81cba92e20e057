/** One stored turn, in JSON that is only parsed when needed. */
export interface StoredResponse {
  id: string;
  modelId: string;
  /** The whole input, earlier turns included: an array of items. */
  input: readonly Buffer[];
  /** The output: an array of items with everything that a later turn needs. */
  output: Buffer;
  items: readonly StoredItem[];
  /** The response as its caller got it. */
  response: Buffer;
}

export interface StoredItem {
  id: string;
  json: Buffer;
}

export interface FoundResponse {
  modelId: string;
  input: Buffer;
  output: Buffer;
  response: Buffer;
}

/** Ids that the gateway creates. Sealed ids of providers look different. */
const OWN_ID = /^[a-z]{2,8}_[0-9A-Za-z]{24}$/;

/** Returns true for an id that the gateway may have created, which has only plain characters. */
export function isOwnId(id: string): boolean {
  return OWN_ID.test(id);
}

const LENGTH_BYTES = 4;
const HEAD_BYTES = 3 * LENGTH_BYTES;

/** Serializes a response: the lengths of all parts but the last, then the parts. */
export function packed({ input, modelId, output, response }: StoredResponse): Buffer[] {
  const model = Buffer.from(modelId);
  const head = Buffer.alloc(HEAD_BYTES);
  for (const [index, length] of [model.length, sizeOf(input), output.length].entries())
    head.writeUInt32BE(length, index * LENGTH_BYTES);
  return [head, model, ...input, output, response];
}

/** Parses the result of `packed`, which was authenticated before. */
export function unpacked(bytes: Buffer): FoundResponse {
  const modelEnd = HEAD_BYTES + bytes.readUInt32BE(0);
  const inputEnd = modelEnd + bytes.readUInt32BE(LENGTH_BYTES);
  const outputEnd = inputEnd + bytes.readUInt32BE(2 * LENGTH_BYTES);
  return {
    modelId: bytes.toString('utf8', HEAD_BYTES, modelEnd),
    input: bytes.subarray(modelEnd, inputEnd),
    output: bytes.subarray(inputEnd, outputEnd),
    response: bytes.subarray(outputEnd),
  };
}

export function sizeOf(pieces: readonly Buffer[]): number {
  return pieces.reduce((sum, piece) => sum + piece.length, 0);
}
