import { Client } from 'pg';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { arrayLiteral } from '../src/index.ts';

let client: Client;

beforeAll(async () => {
  client = new Client({ connectionString: inject('postgres').adminUrl });
  await client.connect();
});
afterAll(() => client.end());

async function read(type: string, values: Parameters<typeof arrayLiteral>[0]): Promise<unknown> {
  const { rows } = await client.query(`SELECT ($1::${type}[])::text[] AS read`, [arrayLiteral(values)]);
  return rows[0]?.read;
}

it('Postgres reads back any text in an array literal', async () => {
  const pieces = ['', 'NULL', '{', '}', ',', '"', '\\', '\n', ' ', "'", 'é', '\u{1F600}', '$1', '\x7f'];
  const pairs = pieces.flatMap((first) => pieces.map((second) => `${first}${second}`));
  const values = [...pairs, null, ...pairs.map((pair) => `${pair}"\\${pair}`)];
  expect(await read('text', values)).toEqual(values);
  expect(await read('text', [])).toEqual([]);
});

it('Postgres reads back numbers, large ones and null in an array literal', async () => {
  const values = [0, -1, 2 ** 53, 9_223_372_036_854_775_807n, undefined, null];
  const texts = ['0', '-1', '9007199254740992', '9223372036854775807', null, null];
  expect(await read('bigint', values)).toEqual(texts);
});
