import { expect, it } from 'vitest';
import { mayHoldCarriedState, writeCarriedState } from './carried-state.ts';

const text = Buffer.from(
  JSON.stringify({ before: 'x'.repeat(50), signature: writeCarriedState({}), after: 'y'.repeat(50) }),
);

/** The text in pieces of so many bytes. */
const inPieces = (bytes: number) =>
  Array.from({ length: Math.ceil(text.length / bytes) }, (_, place) =>
    text.subarray(place * bytes, (place + 1) * bytes),
  );

it.each([1, 2, 5, 7, 20, 21, 22, 23, 60, 1_000])('carried state is found in chunks of %d bytes', (bytes) => {
  expect(mayHoldCarriedState(inPieces(bytes))).toBe(true);
});

it('no carried state is found in a body without it', () => {
  expect(mayHoldCarriedState([])).toBe(false);
  expect(
    mayHoldCarriedState([Buffer.from('kept-by-model-'), Buffer.from('x'), Buffer.from('gateway.')]),
  ).toBe(false);
});
