import { expect, it } from 'vitest';
import { scoreDocuments } from './score-documents.ts';

it('the document that holds the words of the query comes first, and scores stay between 0 and 1', () => {
  const scored = scoreDocuments('capital of the United States', [
    'Carson City is the capital of Nevada.',
    'Bananas are rich in potassium.',
    'Washington, D.C. is the capital of the United States.',
  ]);
  expect(scored.map(({ index }) => index)).toEqual([2, 0, 1]);
  for (const { score } of scored) {
    expect(score).toBeGreaterThanOrEqual(0);
    expect(score).toBeLessThanOrEqual(1);
  }
});

it('equal documents stay in their order, and a query without words is accepted', () => {
  expect(scoreDocuments('tea', ['x', 'x', 'x']).map(({ index }) => index)).toEqual([0, 1, 2]);
  expect(scoreDocuments('?!', ['a', 'b'])).toHaveLength(2);
});
