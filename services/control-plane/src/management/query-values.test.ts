import { expect, it } from 'vitest';
import { z } from 'zod';
import { queryList } from './query-values.ts';

it.each([
  ['ada,grace', ['ada', 'grace']],
  [
    ['ada', 'grace', 'ada'],
    ['ada', 'grace'],
  ],
  // The console sends lists, so that it finds an end user with such an id, and no other.
  [['lovelace, ada'], ['lovelace, ada']],
  [undefined, undefined],
])('the values of the parameter %j are %j', (given, values) => {
  expect(queryList(z.string()).parse(given)).toEqual(values);
});
