// Runs one service in the foreground, set by environment variables: `npm run --silent service -- NAME`.
import process from 'node:process';

const SERVICES = new Map<string, () => Promise<unknown>>([
  ['data-plane', () => import('../services/data-plane/src/main.ts')],
  ['control-plane', () => import('../services/control-plane/src/main.ts')],
  ['catalog', () => import('../services/catalog/src/main.ts')],
  ['dashboard', () => import('../services/dashboard/src/main.ts')],
  ['migrate', migrate],
]);

const [name = '', ...rest] = process.argv.slice(2);
const isRestored = name === 'migrate' && rest.join(' ') === '--restored';
const run = rest.length === 0 || isRestored ? SERVICES.get(name) : undefined;
if (run === undefined) {
  end(2, `usage: npm run --silent service -- ${[...SERVICES.keys()].join(' | ')} [--restored]`);
} else {
  await run();
}

/**
 * Applies the missing migrations of prisma/migrations, and ends. With --restored it also tells every control
 * plane that the database was restored (docs/operations.md).
 */
async function migrate(): Promise<void> {
  // A lock is held over many transactions, which a pooler of transactions would give to different
  // connections.
  const url = process.env.DATABASE_SESSION_URL || process.env.DATABASE_URL;
  if (!url)
    return end(1, 'migrate: DATABASE_URL is required: the postgres:// URL of the database to migrate');
  const { applyMigrations, renewEpoch } = await import('../packages/database/src/index.ts');
  try {
    const { applied, newer } = await applyMigrations(url, {
      onApplied: (name) => say(`applied ${name}`),
      onRetry: (reason) => say(`waiting for a lock: ${reason}`),
    });
    if (newer.length > 0) say(`left as they are, from a newer release: ${newer.join(', ')}`);
    if (isRestored) say(`new epoch ${await renewEpoch(url)}: control planes read everything again`);
    else if (applied.length === 0) say('nothing to do');
  } catch (error) {
    end(1, `migrate: ${error instanceof Error ? error.message || error.name : error}`);
  }
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

function end(exitCode: number, line: string): void {
  process.stderr.write(`${line}\n`);
  process.exitCode = exitCode;
}
