// Lists packages that are behind the newest releases, and by how much: `npm run outdated`.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describeOutdated, parseOutdated } from './outdated/describe-outdated.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** The place where the bootstrap puts pnpm. */
const OWN_PNPM = join(ROOT, '.tools/pnpm/node_modules/.bin/pnpm');
const TIMEOUT_MS = 120_000;
/**
 * Few tries with short pauses: without a network, more would only take longer to fail. pnpm asks for a few
 * packages at a time, so the pause before a second try comes more than ten times.
 */
const SOON = { pnpm_config_fetch_retries: '1', pnpm_config_fetch_retry_mintimeout: '200' };

const { output, failure } = await askRegistry();
const outdated = parseOutdated(output);
if (outdated === undefined) {
  process.stderr.write(`npm run outdated: the registry of packages could not be asked: ${failure}\n`);
  process.exitCode = 1;
} else {
  process.stdout.write(describeOutdated(outdated));
}

/**
 * Asks pnpm. It exits with 1 both when something is outdated and when it could not find out; its output tells
 * these apart.
 */
async function askRegistry(): Promise<{ output: string; failure: string }> {
  const pnpm = existsSync(OWN_PNPM) ? OWN_PNPM : 'pnpm';
  const args = ['outdated', '--recursive', '--format=json', '--pm-on-fail=ignore'];
  const env = { ...process.env, ...SOON };
  try {
    const { stdout } = await promisify(execFile)(pnpm, args, { cwd: ROOT, env, timeout: TIMEOUT_MS });
    return { output: stdout, failure: 'it answered with something else than JSON' };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const said = (name: 'stdout' | 'stderr') => {
      const text: unknown = Object.getOwnPropertyDescriptor(error, name)?.value;
      return typeof text === 'string' ? text.trim() : '';
    };
    const lines = said('stderr').split(/\s*\n\s*/);
    return { output: said('stdout'), failure: lines.join(' ') || error.message };
  }
}
