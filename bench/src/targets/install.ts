import { execFile } from 'node:child_process';
import type { Environment } from '@model-gateway/service-kit';

/** A peer that cannot be measured. The report gives the reason. */
class PeerMissing extends Error {
  override readonly name = 'PeerMissing';
}

const MAX_REASON_LENGTH = 300;

/** Runs an installer to its end. @throws PeerMissing with the last line it has written */
export async function install(
  command: string,
  args: readonly string[],
  options: { cwd: string; environment: Environment; timeoutMs: number },
): Promise<string> {
  return await new Promise((resolve, reject) => {
    execFile(
      command,
      [...args],
      { cwd: options.cwd, env: { ...options.environment }, timeout: options.timeoutMs, maxBuffer: 16 << 20 },
      (error, stdout, stderr) => {
        if (error === null) return resolve(stdout);
        const [reason = ''] = `${stdout}${stderr}`.trim().split('\n').slice(-1);
        const what = error.killed ? `not done after ${options.timeoutMs / 1_000} s` : reason || error.message;
        reject(new PeerMissing(`${command} ${args[0] ?? ''}: ${what.trim().slice(0, MAX_REASON_LENGTH)}`));
      },
    );
  });
}
