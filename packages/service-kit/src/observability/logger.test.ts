import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';

const LOGGER = new URL('logger.ts', import.meta.url);

/** Starts a process that logs to a pipe. */
function startLogging(statements: string) {
  const program = `
    import { closeLogs, createLogger } from '${LOGGER}';
    const log = createLogger({ service: 'test', level: 'info' });
    const write = (lines) => { for (let line = 1; line <= lines; line++) log.info({ line, of: 'x'.repeat(500) }); };
    ${statements}`;
  return spawn(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
}

describe('lines on standard output', () => {
  it.each([
    ['ends by itself', 'write(200);', 200],
    ['exits', 'write(200); process.exit(1);', 200],
    ['fails unexpectedly', 'write(1); setImmediate(() => { write(199); throw new Error(); });', 200],
    ['is stopped', 'write(2_000); await closeLogs(); process.exit(0);', 2_000],
  ])('none is lost when the process %s', async (_how, statements, expected) => {
    const output = await text(startLogging(statements).stdout);
    expect(output.match(/\{.*"line":\d+,.*\}\n/g)).toHaveLength(expected);
  });

  it('do not wait for the end of the process', async () => {
    const child = startLogging('write(1); setInterval(() => undefined, 1_000);');
    const [chunk] = await once(child.stdout, 'data');
    child.kill('SIGKILL');
    expect(String(chunk)).toContain('"line":1,');
  });

  it.each(['gone', 'stuck'])('do not keep a process from ending whose reader is %s', async (how) => {
    const child = startLogging(`
      for (let turn = 0; turn < 20; turn++) {
        write(100);
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      await closeLogs();
      process.exit(0);`);
    if (how === 'gone') child.stdout.destroy();
    else child.stdout.pause();
    expect(await once(child, 'exit')).toEqual([0, null]);
  });
});
