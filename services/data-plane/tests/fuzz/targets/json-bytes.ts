import { isUtf8 } from 'node:buffer';
import { JsonOutline, OutlinedResponse, UnusualJson } from '@model-gateway/dialects';
import fc from 'fast-check';
import { elementsOf } from '../../../src/stored-responses/json-elements.ts';
import { cleanPieces } from '../../../src/upstream/clean-pieces.ts';
import { cleanJson } from '../../../src/upstream/redact.ts';
import { type FuzzTarget, require } from '../fuzz-target.ts';
import { JSON_SEEDS, JSON_TOKENS, parsed } from '../json-seeds.ts';
import { chunkSizes, cutInto, mutatedText } from '../mutate.ts';

/** It overlaps itself, and no part of it is an escape. */
const SECRET = 'xyxyxyxyxyxyxyxyxy';
const SECRET_TOKENS = [SECRET, SECRET.slice(4), `${SECRET.slice(0, 9)}\\u0079${SECRET.slice(10)}`, 'xy'];

interface Input {
  /** Latin1. */
  json: string;
  sizes: number[];
}

/** Compares the readers of JSON in chunks of bytes with `JSON.parse`. */
export const jsonBytes: FuzzTarget<Input> = {
  name: 'json-bytes',
  input: fc.record({
    json: mutatedText(
      JSON_SEEDS.map((seed) => Buffer.from(seed).toString('latin1')),
      [...JSON_TOKENS.map((token) => Buffer.from(token).toString('latin1')), ...SECRET_TOKENS],
    ),
    sizes: chunkSizes,
  }),
  async check({ json, sizes }) {
    const bytes = Buffer.from(json, 'latin1');
    const chunks = cutInto(bytes, sizes);
    const expected = isUtf8(bytes) ? parsed(bytes.toString()) : undefined;
    checkOutline(chunks, expected);
    if (expected === undefined) return;
    if (Array.isArray(expected.value)) {
      const elements = (await elementsOf(bytes)).map((element) => JSON.parse(element.toString()));
      require(JSON.stringify(elements) === JSON.stringify(expected.value), 'elementsOf splits elsewhere');
    }
    const cleaned = Buffer.concat(await cleanPieces(chunks, [SECRET], true)).toString();
    for (const text of [cleaned, cleanJson(bytes.toString(), [SECRET])]) {
      const value = parsed(text);
      require(value !== undefined, 'JSON without its secrets is no JSON');
      require(!JSON.stringify(value.value).includes(SECRET), 'a secret remains');
    }
  },
};

function checkOutline(chunks: readonly Buffer[], expected: { value: unknown } | undefined): void {
  const outline = new JsonOutline({ within: 'messages', depth: 3 });
  const value = expected?.value;
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  let members: ReturnType<JsonOutline['end']>;
  try {
    for (const chunk of chunks) outline.push(chunk);
    members = outline.end();
  } catch (thrown) {
    require(thrown instanceof Error && thrown.name === 'BrokenJson', `${thrown} is no BrokenJson`);
    require(!isObject || thrown instanceof UnusualJson, `the outline refuses an object: ${thrown.message}`);
    return;
  }
  require(isObject, 'the outline takes what is no object');
  const response = new OutlinedResponse(chunks, members);
  const names = new Set(members.map(({ name }) => name));
  require(names.size === Object.keys(value).length, 'other members');
  for (const name of names) {
    const small = response.small(name);
    require(JSON.stringify(small) === JSON.stringify(Reflect.get(value, name)), `another value of ${name}`);
  }
  for (const [index, entry] of (response.entries('messages') ?? []).entries()) {
    const given: unknown = Reflect.get(value, 'messages')?.[index];
    require(JSON.stringify(response.value(entry)) === JSON.stringify(given), `another message ${index}`);
  }
}
