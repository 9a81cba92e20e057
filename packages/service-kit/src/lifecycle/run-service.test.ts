import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';

/** A service that starts slowly. */
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

// Without a listener, process 1 of a container ignores the signal, and would be killed in the end.
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
