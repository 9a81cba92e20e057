import { expect, it } from 'vitest';
import { decodePlace, encodePlace } from './request-page.ts';

it('a place is read back as it was written, whatever the id', () => {
  for (const requestId of ['req_000000000000000000000001', 'a.b.c', 'line\nbreak', 'ü']) {
    const place = { endedAtMs: 1_774_000_000_123, requestId };
    expect(decodePlace(encodePlace(place))).toEqual(place);
  }
});

it.each(['', '.', 'MTIz', 'not base64 !', Buffer.from('12.').toString('base64url'), encodeText('1.a\0b')])(
  'no page ever had the place %j',
  (token) => {
    expect(decodePlace(token)).toBeUndefined();
  },
);

function encodeText(text: string): string {
  return Buffer.from(text).toString('base64url');
}
