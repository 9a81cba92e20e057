import { execFile } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const GATEWAYCTL = 'packages/cli/dist/gatewayctl.mjs';
const PAGE = 'services/dashboard/web/src/main.tsx';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bootstrap-'));
  mkdirSync(join(folder, 'scripts'));
  for (const name of ['bootstrap.mjs', 'find-node.mjs', 'freshness.mjs']) {
    copyFileSync(new URL(name, import.meta.url), join(folder, 'scripts', name));
  }
  for (const file of [
    'pnpm-lock.yaml',
    'proto/a.proto',
    'packages/shared/src/a.ts',
    'packages/database/a.ts',
  ])
    write(file);
  write('package.json', '{}');
  write('services/dashboard/wire/a.ts');
  write(PAGE);
  // Stand-ins for the programs that it runs: each notes that it ran, and writes its products.
  program('.tools/pnpm/node_modules/.bin/pnpm', 'installed', ['node_modules/x']);
  program('node_modules/.bin/prisma', 'generated', ['packages/database/src/generated/x']);
  program('packages/contracts/scripts/generate.ts', 'generated', ['packages/contracts/src/generated/x']);
  program('services/dashboard/node_modules/vite/bin/vite.js', 'built', [
    'services/dashboard/dist/index.html',
  ]);
  write('docs/a.md');
  write('deploy/a.yaml');
  write('services/catalog/src/a.ts');
  program('packages/bundles/src/main.ts', 'in one file', ['dist/service/main.mjs']);
  write('packages/docs-site/.vitepress/config.ts');
  program('packages/docs-site/src/main.ts', 'documented', ['services/catalog/dist/index.html']);
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

function write(file: string, text = ''): void {
  mkdirSync(dirname(join(folder, file)), { recursive: true });
  writeFileSync(join(folder, file), text);
}

function program(file: string, note: string, products: string[]): void {
  const lines = products.map(
    (product) =>
      `fs.mkdirSync(path.dirname('${product}'), { recursive: true }); fs.writeFileSync('${product}', '');`,
  );
  write(
    file,
    `#!${process.execPath}
const fs = process.getBuiltinModule('fs'), path = process.getBuiltinModule('path');
fs.appendFileSync('steps.txt', '${note}' + (process.env.NODE_ENV ?? '') + '\\n');
setTimeout(() => { ${lines.join(' ')} }, 100);`,
  );
  chmodSync(join(folder, file), 0o755);
}

/** @returns the steps that were done before the command, or instead of it */
async function bootstrap(...args: string[]): Promise<string[]> {
  rmSync(join(folder, 'steps.txt'), { force: true });
  await run(...args);
  return steps();
}

function run(...args: string[]): Promise<string> {
  return execute([join(folder, 'scripts/bootstrap.mjs'), ...args]);
}

function execute(args: string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const env = { ...process.env, NODE_ENV: 'production' };
    execFile(process.execPath, args, { env }, (error, out, err) =>
      error ? reject(new Error(err, { cause: error })) : resolve(out),
    );
  });
}

function steps(): string[] {
  try {
    return readFileSync(join(folder, 'steps.txt'), 'utf8').trim().split('\n');
  } catch {
    return [];
  }
}

describe('bin/gatewayctl.mjs', () => {
  const source = 'packages/cli/src/a.ts';

  function gatewayctl(...args: string[]): Promise<string> {
    rmSync(join(folder, 'steps.txt'), { force: true });
    return execute([join(folder, 'bin/gatewayctl.mjs'), ...args]);
  }

  beforeEach(() => {
    mkdirSync(join(folder, 'bin'));
    copyFileSync(new URL('../bin/gatewayctl.mjs', import.meta.url), join(folder, 'bin/gatewayctl.mjs'));
    for (const name of ['cli', 'contracts', 'service-kit']) write(`packages/${name}/src/a.ts`);
    write('packages/cli/vite.config.ts');
    program('packages/cli/node_modules/vite/bin/vite.js', 'bundled', ['packages/cli/dist/x']);
    write(GATEWAYCTL, 'console.log(process.argv.slice(2).join(" ")); process.exitCode = 0;');
  });

  it('builds gatewayctl before the first call, and runs it', async () => {
    expect(await gatewayctl('keys', 'list')).toBe('keys list\n');
    expect(steps()).toEqual(['installed', 'generated', 'generated', 'bundled']);
    expect(await bootstrap('--site', '--cli', 'node', '-e', '')).toEqual(['built']);
  });

  it('starts no bootstrap while no source is newer than the build', async () => {
    await gatewayctl();
    // It would fail.
    write('scripts/bootstrap.mjs', 'process.exit(1);');
    expect(await gatewayctl('status')).toBe('status\n');
    expect(steps()).toEqual([]);
    utimesSync(join(folder, source), new Date(), new Date(Date.now() + 1_000));
    await expect(gatewayctl('status')).rejects.toThrow();
  });

  it('builds again only when the contents of a source have changed', async () => {
    await gatewayctl();
    utimesSync(join(folder, source), new Date(), new Date());
    expect(await gatewayctl('status')).toBe('status\n');
    expect(steps()).toEqual([]);
    for (const changed of [source, 'packages/shared/src/new.ts']) {
      write(changed, '// changed');
      await gatewayctl('status');
      expect(steps()).toEqual(['bundled']);
    }
  });
});

describe('the bootstrap', () => {
  it('builds the site only when it is needed and its sources have changed', async () => {
    const command = ['node', '-e', ''];
    expect(await bootstrap(...command)).toEqual(['installed', 'generated', 'generated']);
    expect(await bootstrap('--site', ...command)).toEqual(['built']);
    expect(await bootstrap('--site', ...command)).toEqual([]);
    for (const source of [PAGE, 'services/dashboard/wire/a.ts', 'packages/shared/src/a.ts']) {
      write(source, '// changed');
      expect(await bootstrap(...command)).toEqual([]);
      expect(await bootstrap('--site')).toEqual(['built']);
    }
    write('services/dashboard/web/src/main.test.tsx', '// nothing of the site');
    expect(await bootstrap('--site')).toEqual([]);
    rmSync(join(folder, 'services/dashboard/dist'), { recursive: true });
    expect(await bootstrap('--site')).toEqual(['built']);
  });

  it('builds the site only for the service that serves it', async () => {
    await bootstrap('node', '-e', '');
    const service = ['--site-for', 'dashboard', 'node', '-p', 'process.argv[1]'];
    expect(await bootstrap(...service, 'catalog')).toEqual([]);
    expect(await bootstrap(...service, 'dashboard')).toEqual(['built']);
    expect(await run(...service, 'dashboard')).toBe('dashboard\n');
  });

  it('builds the documentation only when it is needed and a page has changed', async () => {
    const command = ['node', '-p', 'process.argv[1]'];
    await bootstrap(...command);
    expect(await bootstrap('--docs', ...command)).toEqual(['documented']);
    write('docs/a.md', '# Changed');
    expect(await bootstrap('--docs-for', 'catalog', ...command, 'dashboard')).toEqual([]);
    expect(await bootstrap('--docs-for', 'catalog', ...command, 'catalog')).toEqual(['documented']);
    write('deploy/a.yaml', 'unrelated: true');
    expect(await bootstrap('--docs')).toEqual([]);
  });

  it('bundles the services again only when the contents of a source have changed', async () => {
    await bootstrap('node', '-e', '');
    expect(await bootstrap('--bundles', 'node', '-e', '')).toEqual(['in one file']);
    expect(await bootstrap('--bundles')).toEqual([]);
    const source = join(folder, 'services/catalog/src/a.ts');
    utimesSync(source, new Date(), new Date(0));
    expect(await bootstrap('--bundles')).toEqual([]);
    for (const changed of ['services/catalog/src/a.ts', 'packages/shared/src/new.ts', 'scripts/service.ts']) {
      write(changed, '// changed');
      expect(await bootstrap('node', '-e', '')).toEqual([]);
      expect(await bootstrap('--bundles')).toEqual(['in one file']);
    }
    write('services/catalog/src/a.test.ts', '// nothing of the service');
    expect(await bootstrap('--bundles')).toEqual([]);
  });

  it('bundles again what changed while it was bundled', async () => {
    await bootstrap('node', '-e', '');
    const bundling = run('--bundles');
    // The program takes 100 ms.
    await expect.poll(() => steps()).toContain('in one file');
    write('packages/shared/src/a.ts', '// changed');
    await bundling;
    expect(await bootstrap('--bundles')).toEqual(['in one file']);
  });

  it('builds once for two commands that start together', async () => {
    await Promise.all([run('--site', 'node', '-e', ''), run('--site', 'node', '-e', '')]);
    expect(steps()).toEqual(['installed', 'generated', 'generated', 'built']);
  });

  it('repeats a failed build, and prints its output', async () => {
    write(
      'services/dashboard/node_modules/vite/bin/vite.js',
      'console.log("no such page"); process.exit(1);',
    );
    await expect(run('--site', 'node', '-p', '"ran"')).rejects.toThrow(
      /no such page(.|\n)*failed: .*vite\.js build/,
    );
    await expect(run('--site', 'node', '-p', '"ran"')).rejects.toThrow('no such page');
    expect(await run('node', '-p', '"ran"')).toBe('ran\n');
  });

  it('prints its usage without a command', async () => {
    await expect(run()).rejects.toThrow('usage: ');
    await expect(run('--site-for', 'dashboard')).rejects.toThrow('usage: ');
    await expect(run('--unknown', 'node')).rejects.toThrow('usage: ');
  });
});
