import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync } from 'node:fs';
import process from 'node:process';
import { expect, it } from 'vitest';

const FULL_DISK = '/dev/full';
const LOGGER = new URL('logger.ts', import.meta.url).href;

/** Runs `program`, which can use `log` and `closeLogs`, with the given standard output. */
function run(program: string, output: number | 'pipe'): ChildProcess {
  const source = `
    import { closeLogs, createLogger } from '${LOGGER}';
    const log = createLogger({ service: 'test', level: 'info' });
    ${program}`;
  const options = ['--input-type=module', '--eval', source];
  return spawn(process.execPath, options, { stdio: ['ignore', output, 'inherit', 'ipc'] });
}

it.skipIf(!existsSync(FULL_DISK))('a full disk does not end the process that logs to it', async () => {
  const disk = openSync(FULL_DISK, 'w');
  const child = run(
    `let lines = 0;
    const logging = setInterval(async () => {
      log.info({ lines: ++lines }, 'line');
      if (lines < 100) return;
      clearInterval(logging);
      await closeLogs();
      process.exit(0);
    }, 5);`,
    disk,
  );
  closeSync(disk);
  expect(await once(child, 'exit')).toEqual([0, null]);
});

it('a reader that stops reading does not fill the memory, and hears later how much it has missed', async () => {
  const child = run(
    `const before = process.memoryUsage();
    for (let batch = 0; batch < 64; batch++) {
      for (let line = 0; line < 1_000; line++) log.info({ text: 'x'.repeat(1_000) }, 'line');
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    globalThis.gc?.();
    const after = process.memoryUsage();
    process.send(after.heapUsed + after.external - before.heapUsed - before.external);
    process.once('message', async () => {
      log.info('the last line');
      await closeLogs();
      process.exit(0);
    });`,
    'pipe',
  );
  const [grownBytes] = await once(child, 'message');
  expect(grownBytes).toBeLessThan(48 * 1024 * 1024);
  if (child.stdout === null) throw new Error('no pipe');
  let read = '';
  let isToldToEnd = false;
  child.stdout.on('data', (chunk: Buffer) => {
    read += chunk.toString();
    if (isToldToEnd || !read.slice(-200).includes('log lines were lost')) return;
    isToldToEnd = true;
    child.send('end');
  });
  await once(child, 'close');
  const lines = read.trimEnd().split('\n');
  const lost = lines.map((line) => JSON.parse(line)).find(({ msg }) => msg.startsWith('log lines were lost'));
  expect(lost).toMatchObject({ level: 40, lines: expect.any(Number) });
  expect(lines.length - 2 + lost.lines).toBe(64_000);
  expect(lines.at(-1)).toContain('the last line');
});
