import { spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('main.ts', import.meta.url));

/**
 * Runs seeds in a process of their own, because a simulation replaces the clock and sockets of its process.
 * @param isTraced prints the traces of seeds that pass, too
 * @returns what `main.ts` prints: of a failed seed, its trace and the command that repeats it
 */
export async function runSeeds(
  first: number,
  last: number,
  { isTraced = false } = {},
): Promise<{ output: string; isPassed: boolean }> {
  const child = spawn(
    process.execPath,
    [PROGRAM, String(first), String(last), ...(isTraced ? ['--trace'] : [])],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const [code] = await once(child, 'close');
  return { output, isPassed: code === 0 };
}
