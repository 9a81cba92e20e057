// Finds out whether a step of scripts/bootstrap.mjs is up to date. It is repeated when its inputs change.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
export const tools = join(root, '.tools');
export const CLI = join('packages', 'cli');
export const DOCS = join('packages', 'docs-site');
export const DASHBOARD = join('services', 'dashboard');

/** Files that must exist after each step. */
const PRODUCTS = {
  install: ['node_modules'],
  generate: ['packages/contracts/src/generated', 'packages/database/src/generated'],
  site: ['services/dashboard/dist/index.html'],
  docs: ['services/catalog/dist/index.html'],
  cli: ['packages/cli/dist/gatewayctl.mjs'],
  bundles: ['dist/service/main.mjs'],
};

function inputsOf(name) {
  return ['pnpm-lock.yaml', ...INPUTS[name]()];
}

/** Lists the input files of each step. */
const INPUTS = {
  install: () => [
    'pnpm-workspace.yaml',
    'package.json',
    ...['packages', 'services'].flatMap((folder) =>
      readdirSync(join(root, folder)).map((name) => `${folder}/${name}/package.json`),
    ),
  ],
  generate: () => [
    'prisma.config.ts',
    'prisma/schema.prisma',
    'packages/contracts/scripts/generate.ts',
    ...filesIn('proto').filter((name) => name.endsWith('.proto')),
  ],
  site: () => [
    join(DASHBOARD, 'vite.config.ts'),
    ...filesIn(join(DASHBOARD, 'web')),
    // Files that the site shares with its server.
    ...filesIn(join(DASHBOARD, 'wire')),
    ...filesIn(join('packages', 'shared', 'src')),
  ],
  docs: () => [
    ...readdirSync(root).filter((name) => name.endsWith('.md')),
    ...['docs', 'deploy', join(DOCS, '.vitepress'), join(DOCS, 'src')]
      .flatMap(filesIn)
      .filter((file) => /\.(md|png|ts)$/.test(file)),
  ],
  cli: () => [join(CLI, 'vite.config.ts'), ...sourcesOf(['cli', 'contracts', 'service-kit', 'shared'])],
  bundles: () => [
    'prisma/schema.prisma',
    join('scripts', 'service.ts'),
    ...filesIn(join(DASHBOARD, 'wire')),
    ...readdirSync(join(root, 'services')).flatMap((name) => sourcesIn(join('services', name))),
    ...sourcesOf(readdirSync(join(root, 'packages'))),
  ],
};

function sourcesOf(packages) {
  return [...filesIn('proto'), ...packages.flatMap((name) => sourcesIn(join('packages', name)))];
}

/** Lists the sources of a package without generated files, which follow from `proto` and `prisma`. */
function sourcesIn(folder) {
  const sources = join(folder, 'src');
  return existsSync(join(root, sources))
    ? filesIn(sources).filter((file) => !file.includes('generated'))
    : [];
}

function filesIn(folder) {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.includes('.test.'))
    .map((entry) => join(relative(root, entry.parentPath ?? entry.path), entry.name))
    .sort();
}

/** Does a step if its inputs have changed. After a change during the step, the next start repeats it. */
export function prepare(name, step) {
  if (isFresh(name)) return;
  const files = inputsOf(name);
  const stamp = stampOf(contentsOf(files), timesOf(files));
  step();
  mkdirSync(tools, { recursive: true });
  writeFileSync(stampFile(name), stamp);
}

/** @returns false if the step has to be done again, or for the first time */
export function isFresh(name) {
  const stamp = readIfThere(stampFile(name));
  if (stamp === '' || !PRODUCTS[name].every((product) => existsSync(join(root, product)))) return false;
  const files = inputsOf(name);
  const [contents, times] = stamp.split('\n');
  // Do not read every file while all times are the same.
  const timesNow = timesOf(files);
  if (times === timesNow) return true;
  if (contents !== contentsOf(files)) return false;
  try {
    writeFileSync(stampFile(name), stampOf(contents, timesNow));
  } catch {
    // In a read-only folder, every start compares the contents.
  }
  return true;
}

function stampOf(contents, times) {
  return `${contents}\n${times}\n`;
}

function contentsOf(files) {
  return hash(files, (path) => (existsSync(path) ? readFileSync(path) : ''));
}

/** Returns a hash of sizes and change times. Unlike the modification time, nothing can set `ctime` back. */
function timesOf(files) {
  return hash(files, (path) => {
    const stat = statSync(path, { throwIfNoEntry: false });
    return stat === undefined ? '' : `${stat.size} ${stat.ctimeMs}`;
  });
}

function hash(files, describe) {
  const hash = createHash('sha256').update(`${process.platform}-${process.arch}`);
  for (const file of files) hash.update(`\0${file}\0`).update(describe(join(root, file)));
  return hash.digest('hex');
}

export function stampFile(name) {
  return join(tools, `${name}.stamp`);
}

export function readIfThere(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
