import { execFile, spawnSync } from 'node:child_process';
import process from 'node:process';
import { promisify } from 'node:util';
import { oldCatalogs } from '../packages/cli/src/catalog-file/index.ts';
import tried from '../services/data-plane/tests/agents/tried-programs.json' with { type: 'json' };

const run = promisify(execFile);

/**
 * Lists packages behind their newest release (dependencies, and the programs that tests fetch and try), and
 * bundled catalogs with old prices.
 */
const PNPM = '.tools/pnpm/node_modules/.bin/pnpm';
spawnSync(PNPM, ['outdated', '--recursive', '--pm-on-fail=ignore'], { stdio: 'inherit' });

const programs = [
  ...Object.entries(tried.npm).map(([name, version]) => ({ name, version, newest: newestOfNpm })),
  ...Object.entries(tried.pypi).map(([name, version]) => ({ name, version, newest: newestOfPypi })),
];
for (const { name, newest, version } of programs) {
  const latest = await newest(name).catch((failure) => `unknown: ${String(failure).split('\n', 1)[0]}`);
  if (latest !== version) process.stdout.write(`${name}: tried with ${version}, newest ${latest}\n`);
}

for (const { ageDays, file, foundOn } of oldCatalogs('deploy/catalogs', Date.now())) {
  process.stdout.write(
    `${file}: prices of ${foundOn}, ${ageDays} days old: compare them with the provider's\n`,
  );
}

async function newestOfNpm(name: string): Promise<string> {
  return (await run('npm', ['view', name, 'version'])).stdout.trim();
}

/** Its first line is `name (newest version)`. */
async function newestOfPypi(name: string): Promise<string> {
  const { stdout } = await run('python3', ['-m', 'pip', 'index', 'versions', name]);
  const found = /\((\S+)\)/.exec(stdout)?.[1];
  if (found === undefined) throw new Error('pip named no version');
  return found;
}
