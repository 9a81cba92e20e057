import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { buildProgram } from './build-program.ts';

let folder: string;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'a bundle-')));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Bundles the program `first`, which has a worker and knows the program `second`. @returns what it writes */
async function run(main: string): Promise<{ out: string; err: string }> {
  const entry = (name: string, file: string) => ({ name, file: join(folder, file) });
  const first = { name: 'first', entries: [entry('main', 'first.ts'), entry('a-worker', 'a-worker.ts')] };
  const second = { name: 'second', entries: [entry('main', 'second.ts')] };
  write('first.ts', main);
  write('a-worker.ts', `import { postMessage } from './post.ts';\npostMessage('from the worker');\n`);
  write(
    'post.ts',
    `import { parentPort } from 'node:worker_threads';
export const postMessage = (text: string) => parentPort?.postMessage(text);\n`,
  );
  write('second.ts', `console.log('second runs');\n`);
  const programs = [first, second];
  for (const program of programs) await buildProgram(program, programs, join(folder, 'dist'));
  // Only the files that bundles read by URL stay.
  for (const file of ['first', 'second', 'a-worker', 'post', 'thrower'])
    rmSync(join(folder, `${file}.ts`), { force: true });
  const { stdout, stderr } = spawnSync(process.execPath, [join(folder, 'dist/first/main.mjs')], {
    encoding: 'utf8',
  });
  return { out: stdout, err: stderr };
}

function write(file: string, text: string): void {
  mkdirSync(join(folder, file, '..'), { recursive: true });
  writeFileSync(join(folder, file), text);
}

it('a bundle needs no source, and its stack traces name the places in the sources', async () => {
  write('thrower.ts', `\n\nexport function fail(): never {\n  throw new Error('on purpose');\n}\n`);
  const { err } = await run(`import { fail } from './thrower.ts';\nfail();\n`);
  expect(err).toContain('on purpose');
  expect(err).toContain(join(folder, 'thrower.ts:4:'));
});

it('a bundle reads files by URL at the places where the sources have them', async () => {
  write('texts/a.txt', 'a text');
  const { out } = await run(
    `import { readFileSync } from 'node:fs';
const name = 'a.txt';
console.log(readFileSync(new URL('texts/a.txt', import.meta.url), 'utf8'));
console.log(readFileSync(new URL(\`texts/\${name}\`, import.meta.url), 'utf8'));\n`,
  );
  expect(out).toBe('a text\na text\n');
});

it('a package of CommonJS finds its own folder', async () => {
  write('node_modules/texts/a.txt', 'a text');
  write('node_modules/texts/package.json', '{ "main": "lib/main.js" }');
  write(
    'node_modules/texts/lib/main.js',
    `exports.text = require('fs').readFileSync(\`\${__dirname}/../a.txt\`, 'utf8');\n`,
  );
  expect(await run(`import { text } from 'texts';\nconsole.log(text);\n`)).toEqual({
    out: 'a text\n',
    err: '',
  });
});

it('a bundle starts the bundles of its workers and of other programs', async () => {
  const { out } = await run(
    `import { Worker } from 'node:worker_threads';
const worker = new Worker(new URL('./a-worker.ts', import.meta.url));
worker.on('message', (text) => {
  console.log(text);
  import('./second.ts');
});\n`,
  );
  expect(out).toBe('from the worker\nsecond runs\n');
});
