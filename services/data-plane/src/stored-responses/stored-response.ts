/** One stored turn, in JSON that nobody parses before the next turn. */
export interface StoredResponse {
  id: string;
  /** The model that has answered, as its caller knows it. */
  modelId: string;
  /** Everything the model was asked with, earlier turns included: an array of items. */
  input: readonly Buffer[];
  /** The output: an array of items with everything that a later turn needs of them. */
  output: Buffer;
  /** Items that a later request can name. */
  items: readonly StoredItem[];
  /** The response as its caller was answered. */
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

/** Ids as the gateway itself gives them; those of providers are sealed, and look different. */
const OWN_ID = /^[a-z]{2,8}_[0-9A-Za-z]{24}$/;

/** Returns true if the gateway may have given an id: then its characters are plain, too. */
export function isOwnId(id: string): boolean {
  return OWN_ID.test(id);
}

const LENGTH_BYTES = 4;
const HEAD_BYTES = 3 * LENGTH_BYTES;

/** The lengths of all parts but the last, and then the parts. */
export function packed({ input, modelId, output, response }: StoredResponse): Buffer[] {
  const model = Buffer.from(modelId);
  const head = Buffer.alloc(HEAD_BYTES);
  for (const [index, length] of [model.length, sizeOf(input), output.length].entries())
    head.writeUInt32BE(length, index * LENGTH_BYTES);
  return [head, model, ...input, output, response];
}

/** Reads the result of `packed`. Only bytes that were proven to be unchanged get here. */
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
