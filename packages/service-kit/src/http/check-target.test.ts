import { describe, expect, it } from 'vitest';
import { isOrdinaryTarget } from './check-target.ts';

describe('request targets', () => {
  it.each(['/', '/health', '/v1/models/acme/small', '/v1/models/acme%2Fsmall', '/v1/models?q=..;//'])(
    '%s is ordinary',
    (target) => {
      expect(isOrdinaryTarget(target)).toBe(true);
    },
  );

  it.each([
    '/v1/../admin',
    '/v1/%2e%2e/admin',
    '/v1/%2E./admin',
    '/v1/..%2fadmin',
    '/v1/./models',
    '//evil',
    '/v1//models',
    'http://evil/v1/models',
    '*',
    '',
    '/v1/models%00',
    '/v1/%zz',
    '/v1/models;a=b',
    '/v1/models%3ba',
    '/v1\\models',
    '/v1/%5cmodels',
    '/v1/models%0a',
    '/v1/%ff',
  ])('%s is no route', (target) => {
    expect(isOrdinaryTarget(target)).toBe(false);
  });

  it('the quick check of a path agrees with the full check', () => {
    const tokens = ['/', 'a', '-', '.', '%', '2', 'e', ';', '\\', '\n'];
    const judge = (target: string, more: number): void => {
      // A query makes the function check the target in full.
      expect(isOrdinaryTarget(target), target).toBe(isOrdinaryTarget(`${target}?`));
      if (more > 0) for (const token of tokens) judge(target + token, more - 1);
    };
    judge('', 4);
    judge('/v1/a', 3);
  });
});
