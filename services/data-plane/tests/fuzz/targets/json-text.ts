import { isDeepStrictEqual } from 'node:util';
import {
  editableMembers,
  editJson,
  membersInBytes,
  nestsTooDeeply,
  parseExactJson,
  scanJson,
  withPlainEscapes,
  writeExactJson,
} from '@model-gateway/dialects';
import { GatewayError } from '@model-gateway/shared';
import { type FuzzTarget, require } from '../fuzz-target.ts';
import { JSON_SEEDS, JSON_TOKENS, parsed } from '../json-seeds.ts';
import { mutatedText } from '../mutate.ts';

const EDITS = { model: '"other"', usage: undefined, id: '{"a":[1]}' };

/** Compares the readers and editors of JSON text with `JSON.parse`. */
export const jsonText: FuzzTarget<string> = {
  name: 'json-text',
  input: mutatedText(JSON_SEEDS, JSON_TOKENS),
  check(text) {
    const expected = parsed(text);
    checkScan(text, expected);
    checkExact(text, expected);
    if (expected === undefined) return;
    require(same(parsed(withPlainEscapes(text))?.value, expected.value), 'withPlainEscapes changes a value');
  },
};

function checkScan(text: string, expected: { value: unknown } | undefined): void {
  let members: ReturnType<typeof scanJson>;
  try {
    members = scanJson(text);
  } catch (thrown) {
    if (thrown instanceof GatewayError && thrown.status === 400) return;
    throw thrown;
  }
  if (expected === undefined) return;
  const { value } = expected;
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  if (!isObject) {
    require(members.length === 0, 'members of what is no object');
    return;
  }
  require(isDeepStrictEqual(
    members.map(({ name }) => name).sort(),
    Object.keys(value).sort(),
  ), 'other members');
  for (const { end, name, start, valueStart } of members) {
    const member = parsed(`{${text.slice(start, end)}}`)?.value;
    require(same(member, { [name]: Reflect.get(value, name) }), `other bytes of ${name}`);
    require(same(
      parsed(text.slice(valueStart, end))?.value,
      Reflect.get(value, name),
    ), `another value of ${name}`);
  }
  for (const depth of [1, 2, 3]) {
    require(nestsTooDeeply(text, depth) === depthOf(value) > depth, `another depth than ${depth}`);
  }
  const bytes = Buffer.from(text);
  const edited = editJson([bytes], membersInBytes(text, editableMembers(members)), EDITS);
  const { usage: _, ...rest } = { ...value, usage: 1, model: 'other', id: { a: [1] } };
  require(sameInAnyOrder(
    parsed(Buffer.concat(edited).toString())?.value,
    rest,
  ), 'editJson edits something else');
}

function checkExact(text: string, expected: { value: unknown } | undefined): void {
  let exact: unknown;
  try {
    exact = parseExactJson(text);
  } catch (thrown) {
    require(thrown instanceof SyntaxError, `${thrown} is no SyntaxError`);
    require(expected === undefined, 'parseExactJson refuses JSON');
    return;
  }
  require(expected !== undefined, 'parseExactJson takes what is no JSON');
  require(same(parsed(writeExactJson(exact))?.value, expected.value), 'writeExactJson writes something else');
}

function same(one: unknown, other: unknown): boolean {
  // Numbers out of range and -0 are written by both alike.
  return JSON.stringify(one) === JSON.stringify(other);
}

function sameInAnyOrder(one: unknown, other: unknown): boolean {
  return isDeepStrictEqual(JSON.parse(JSON.stringify(one) ?? 'null'), JSON.parse(JSON.stringify(other)));
}

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Object.values(value).reduce((max: number, inner) => Math.max(max, depthOf(inner)), 0);
}
