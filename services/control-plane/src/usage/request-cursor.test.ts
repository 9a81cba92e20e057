import { expect, it } from 'vitest';
import { decodeRequestCursor, encodeRequestCursor } from './request-cursor.ts';

it('a page token of requests leads to the same place, whatever the id', () => {
  for (const requestId of ['req_000000000000000000000001', 'a.b.c', 'line\nbreak', 'ü']) {
    const cursor = { endedAtMs: 1_774_000_000_123, requestId };
    expect(decodeRequestCursor(encodeRequestCursor(cursor))).toEqual(cursor);
  }
});

it.each(['', '.', 'MTIz', 'not base64 !', Buffer.from('12.').toString('base64url'), encodeText('1.a\0b')])(
  'the page token %j of requests is refused',
  (token) => {
    expect(decodeRequestCursor(token)).toBeUndefined();
  },
);

function encodeText(text: string): string {
  return Buffer.from(text).toString('base64url');
}
