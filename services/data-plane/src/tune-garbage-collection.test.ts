import { spawnSync } from 'node:child_process';
import process from 'node:process';
import { expect, it } from 'vitest';

const TUNED = `import { tuneGarbageCollection } from ${JSON.stringify(new URL('tune-garbage-collection.ts', import.meta.url).href)};
tuneGarbageCollection();\n`;
/** Creates objects of which all survive a collection. */
const SURVIVORS = `const kept = [];
const create = (count) => ({ count });
for (let count = 0; count < 100_000; count++) kept.push(create(count));
gc({ type: 'minor' });\n`;

/** Runs a program. @returns what V8 says about where it will create objects of each kind */
function decisionsIn(program: string): string[] {
  const options = ['--trace-pretenuring-statistics', '--expose-gc', '--input-type=module', '--eval', program];
  const { status, stdout, stderr } = spawnSync(process.execPath, options, { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return stdout.split('\n').filter((line) => line.includes('pretenuring:'));
}

it('V8 does not begin to create the objects of requests in the old generation', () => {
  expect(decisionsIn(TUNED + SURVIVORS)).toEqual([]);
  expect(decisionsIn(SURVIVORS)).not.toEqual([]);
});
