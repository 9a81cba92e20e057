import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';

/** A service that takes its time to start. */
const SLOW = `
  import { runService } from '${new URL('run-service.ts', import.meta.url)}';
  await runService({
    name: 'slow',
    parseConfig: () => undefined,
    maxStopMs: () => 1_000,
    async start() {
      console.log('starting');
      await new Promise((resolve) => setTimeout(resolve, 300));
      return { close: async () => console.log('closed') };
    },
  });
`;

// As process 1 of a container nobody else would: the signal would be lost, and the container killed in the
// end.
it('a service that is told to stop while it starts stops when it has started', async () => {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', SLOW], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  const output = text(child.stdout);
  await once(child.stdout, 'readable');
  child.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
  expect(await output).toBe('starting\nclosed\n');
});
