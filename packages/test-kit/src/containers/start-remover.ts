import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export interface Remover {
  /** The labels of the containers that it removes. */
  labels: Record<string, string>;
  /** Removes them now. */
  remove(): Promise<void>;
}

/**
 * Starts a process that removes the containers of this one, however this one ends (vitest runs no teardown
 * after Ctrl-C). It removes them as soon as nobody holds the other end of its standard input.
 */
export function startRemover(): Remover {
  const run = randomUUID();
  // The remover is detached, because Ctrl-C in a terminal must not reach it.
  const remover = spawn(
    process.execPath,
    [fileURLToPath(new URL('./remover.ts', import.meta.url)), 'model-gateway.test-run', run],
    { detached: true, stdio: ['pipe', 'ignore', 'inherit'] },
  );
  const exited = once(remover, 'exit');
  remover.unref();
  return {
    labels: { 'model-gateway.test-run': run },
    async remove() {
      remover.ref();
      remover.stdin.end();
      const [code] = await exited;
      if (code !== 0) throw new Error(`containers of this test run may be left: label ${run}`);
    },
  };
}
