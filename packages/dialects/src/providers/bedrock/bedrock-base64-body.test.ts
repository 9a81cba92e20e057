import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { bedrockBase64Body } from './bedrock-base64-body.ts';

it.each([[[]], [[1]], [[1, 1]], [[2, 2]], [[3, 4, 5]], [[49_152, 1]], [[49_151, 49_153, 100_000]]])(
  'chunks of %j bytes become one base64 text of the announced length, each time it is read',
  async (sizes) => {
    const chunks = sizes.map((size, index) => Buffer.alloc(size, index + 65));
    const { content, length, pieces } = bedrockBase64Body('{"body":"', chunks, '"}');
    const expected = `{"body":"${Buffer.concat(chunks).toString('base64')}"}`;
    expect(Buffer.concat([...(pieces ?? [])]).toString()).toBe(expected);
    expect(content instanceof Readable && (await text(content))).toBe(expected);
    expect(length).toBe(expected.length);
  },
);
