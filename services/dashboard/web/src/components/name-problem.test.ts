import { expect, it } from 'vitest';
import { nameProblem } from './name-problem.ts';

it.each([
  ['Support bot', undefined],
  [`  ${'x'.repeat(200)}  `, undefined],
  ['x'.repeat(201), 'Choose a name of at most 200 characters: this one has 201.'],
  ['  ', 'Give it a name.'],
])('the name %j has the problem: %s', (name, problem) => {
  expect(nameProblem(name, 'Give it a name.')).toBe(problem);
});

it('an empty name is no problem without a message for it', () => {
  expect(nameProblem('')).toBeUndefined();
});
