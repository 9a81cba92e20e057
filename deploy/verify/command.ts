import { spawn } from 'node:child_process';
import process from 'node:process';

export interface CommandResult {
  code: number;
  out: string;
  err: string;
}

export interface CommandOptions {
  env?: NodeJS.ProcessEnv;
  timeoutMs?: number;
  /** Ends the command's process group. */
  signal?: AbortSignal | undefined;
}

const DEFAULT_TIMEOUT_MS = 600_000;

/** Runs a command, whatever its exit code. @throws when it cannot start or takes too long */
export function tryCommand(
  command: string,
  args: readonly string[],
  { env, timeoutMs = DEFAULT_TIMEOUT_MS, signal }: CommandOptions = {},
): Promise<CommandResult> {
  signal?.throwIfAborted();
  return new Promise((resolve, reject) => {
    // In its own process group, so that Ctrl-C does not end commands that clean up.
    const child = spawn(command, args, { env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    const result = { code: -1, out: '', err: '' };
    child.stdout.on('data', (chunk) => {
      result.out += chunk;
    });
    child.stderr.on('data', (chunk) => {
      result.err += chunk;
    });
    const words = [command, ...args].join(' ');
    const end = () => child.pid !== undefined && process.kill(-child.pid, 'SIGTERM');
    const timer = setTimeout(() => {
      end();
      reject(new Error(`${words}: no end after ${timeoutMs / 1000} s`));
    }, timeoutMs);
    signal?.addEventListener('abort', end);
    child.on('error', reject);
    child.on('close', (code) => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve({ ...result, code: code ?? -1 });
    });
  });
}

/** Runs a command that must succeed. @returns its standard output. @throws with its output */
export async function run(
  command: string,
  args: readonly string[],
  options: CommandOptions = {},
): Promise<string> {
  const { code, out, err } = await tryCommand(command, args, options);
  if (code !== 0) throw new Error(`${[command, ...args].join(' ')}: exit code ${code}\n${err}${out}`);
  return out;
}
