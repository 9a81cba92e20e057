import { spawnSync } from 'node:child_process';
import process from 'node:process';
import { expect, it } from 'vitest';

const TUNED = `import { tuneGarbageCollection } from ${JSON.stringify(new URL('tune-garbage-collection.ts', import.meta.url).href)};
tuneGarbageCollection();\n`;
/** Creates objects that all survive a collection. */
const SURVIVORS = `const kept = [];
const create = (count) => ({ count });
for (let count = 0; count < 100_000; count++) kept.push(create(count));
gc({ type: 'minor' });\n`;

/** Runs a program. @returns V8's decisions where to create objects */
function pretenuringDecisionsOf(program: string): string[] {
  const options = ['--trace-pretenuring-statistics', '--expose-gc', '--input-type=module', '--eval', program];
  const { stdout, stderr } = spawnSync(process.execPath, options, { encoding: 'utf8', maxBuffer: 2 ** 26 });
  // V8 also writes here which options it does not know.
  expect(stderr).toBe('');
  return stdout.split('\n').filter((line) => line.includes('pretenuring:'));
}

it('a tuned process does not begin to create objects in the old generation', () => {
  expect(pretenuringDecisionsOf(TUNED + SURVIVORS)).toEqual([]);
  expect(pretenuringDecisionsOf(SURVIVORS)).not.toEqual([]);
});
