import { readFileSync } from 'node:fs';
import { ABSENT_ANTHROPIC_ENDPOINTS, ABSENT_ENDPOINTS } from '@model-gateway/shared';
import { expect, it } from 'vitest';
import { openApiDocument } from '../src/index.ts';

const { info, paths = {} } = openApiDocument();
const page = readFileSync(new URL('../../../docs/openai-api.md', import.meta.url), 'utf8').replaceAll(
  / +/g,
  ' ',
);

it("what of OpenAI's API is not there stands in docs/openai-api.md and in /docs, and is no route", () => {
  for (const { path, what, instead = '\u2013' } of ABSENT_ENDPOINTS) {
    const row = `| \`${path}\` | ${what} | ${instead} |`;
    expect(info.description).toContain(row);
    expect(page).toContain(row);
    expect(Object.keys(paths).filter((route) => route === path || route.startsWith(`${path}/`))).toEqual([]);
  }
});

it("what of Anthropic's API is not there stands on the same pages, and is no route", () => {
  for (const { path, what, instead = '\u2013' } of ABSENT_ANTHROPIC_ENDPOINTS) {
    const row = `| \`${path}\` | ${what} | ${instead} |`;
    expect(info.description).toContain(row);
    expect(page).toContain(row);
    expect(Object.keys(paths).filter((route) => route === path || route.startsWith(`${path}/`))).toEqual([]);
  }
});

it('what is named instead of it is a route', () => {
  for (const { instead = '' } of [...ABSENT_ENDPOINTS, ...ABSENT_ANTHROPIC_ENDPOINTS]) {
    for (const [route] of instead.matchAll(/\/v1\/[\w/]+/g)) expect(paths).toHaveProperty([route]);
  }
});
