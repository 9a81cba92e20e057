import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const ROOT = new URL('../', import.meta.url).pathname;
const SOURCES = '{packages,services}/*/src/**/*.ts';
/** Why a promise in a field needs no handler of its own. */
const SAFE: Readonly<Record<string, string>> = {
  'metric-exporter.ts #sending': 'logs its failures',
  'settlement-stream.ts #lastRecorded': 'is only ever resolved',
  'span-exporter.ts #sending': 'logs its failures',
  'sign-in-reports.ts #delivering': 'was #next, which has a handler',
};

it('a promise that is kept in a field has a handler where it is made, so that its rejection ends no process', () => {
  const files = globSync(SOURCES, { cwd: ROOT, exclude: (name) => name.includes('simulation') });
  const fields = files
    .filter((file) => !file.endsWith('.test.ts'))
    .flatMap((file) => {
      const text = readFileSync(`${ROOT}${file}`, 'utf8');
      const found = text.matchAll(/^ {2}(#\w+)\??: Promise</gm);
      return [...found].map(([, field = '']) => ({
        name: `${file.split('/').at(-1)} ${field}`,
        isHandled: text.includes(`inBackground(this.${field})`),
      }));
    });
  expect(fields.length).toBeGreaterThan(5);
  expect(fields.filter(({ name, isHandled }) => !isHandled && SAFE[name] === undefined)).toEqual([]);
});
