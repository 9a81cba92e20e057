import { expect, it } from 'vitest';
import { nameProblem } from './name-problem.ts';

it.each([
  ['Support bot', undefined],
  [`  ${'x'.repeat(200)}  `, undefined],
  ['x'.repeat(201), 'Choose a name of at most 200 characters: this one has 201.'],
  ['  ', 'Give it a name.'],
])('%j: %s', (name, problem) => {
  expect(nameProblem(name, 'Give it a name.')).toBe(problem);
});

it('may be empty where nothing is said of that', () => {
  expect(nameProblem('')).toBeUndefined();
});
