import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { expect, it } from 'vitest';

const SOURCES = globSync('**/*.ts', { cwd: import.meta.dirname })
  .filter((file) => !file.endsWith('.test.ts'))
  .map((file) => ({ file, text: readFileSync(`${import.meta.dirname}/${file}`, 'utf8') }));

/** By field: the parts that set it, as the table above `RequestRecord` says. */
function table(): Map<string, string> {
  const { text = '' } = SOURCES.find(({ file }) => file === 'request-record.ts') ?? {};
  const rows = text.matchAll(/^ \* \| ([\w, ]+) \| ([^|]+) \|$/gm);
  return new Map(
    [...rows].flatMap(([, fields = '', setBy = '']) => fields.split(', ').map((field) => [field, setBy])),
  );
}

it('each field of the record of a request is set where its table says, and nowhere else', () => {
  const setBy = table();
  const found = SOURCES.flatMap(({ file, text }) =>
    [...text.matchAll(/\brecord\.(\w+) (?:\|\||\?\?)?= /g)].map(([, field = '']) => ({ file, field })),
  );
  expect(found.length).toBeGreaterThan(10);
  for (const { file, field } of found) {
    const part = file === 'http/serve-exchange.ts' ? 'the route' : basename(file, '.ts');
    expect(setBy.get(field), `${file} sets ${field}`).toContain(part);
  }
  // A route has one of the two steps that resolve; what they leave unsettled, another part settles. A stream
  // may move its hold to another allowance. A cached answer is served without an attempt.
  for (const field of new Set(found.map(({ field }) => field))) {
    const files = new Set(found.filter((one) => one.field === field).map(({ file }) => file));
    expect([...files], field).toHaveLength(
      ['streamed', 'affinityKey', 'settled', 'hold', 'clientStatus', 'isServed'].includes(field) ? 2 : 1,
    );
  }
});

it('no step imports another one', () => {
  const steps = SOURCES.filter(({ file }) => file.startsWith('steps/'));
  expect(steps.length).toBeGreaterThan(5);
  for (const { file, text } of steps) expect(text, file).not.toMatch(/from '\.\/|steps\//);
});
