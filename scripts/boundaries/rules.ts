import type { Import } from './imports.ts';
import type { Package } from './workspace.ts';

export interface Rule {
  /** Completes "… imports …: ". */
  says: string;
  breaks(found: Import, root: Package): boolean;
}

const DATABASE = '@model-gateway/database';

/** Where the database may be opened at all. The data plane and the catalog are not among them, on purpose. */
const DATABASE_USERS = [
  /^services\/control-plane\//,
  // Its own sign-in tables, and no others.
  /^services\/dashboard\/src\/(context|.+-store)\.ts$/,
  /^packages\/test-kit\//,
  /^packages\/quick-start\/src\/database\.ts$/,
  /^scripts\/service(\.test)?\.ts$/,
];
/** The files of the control plane that know SQL; its other files ask these. */
const CONTROL_PLANE_DATABASE_FILES = /\/([^/]+-store|notification-listener|context)\.ts$/;
/** Who may know which database it is. */
const DRIVER_USERS = [
  /^services\/control-plane\//,
  /^packages\/(database|test-kit)\//,
  /^prisma\.config\.ts$/,
];

/** Its package depends on the platform. */
const COMPUTED_IMPORTS = [/^packages\/database\/src\/embedded-postgres\/locate-binaries\.ts$/];

export const RULES: readonly Rule[] = [
  {
    says: 'services reach each other over the network, never by import',
    breaks: ({ from, to }) => isService(from) && isService(to),
  },
  {
    says: 'packages do not know the services',
    breaks: ({ from, to, inTest }) => isLibrary(from) && isService(to) && !inTest,
  },
  {
    says: 'packages/shared imports nothing of this repository',
    breaks: ({ from, to }) => from.folder === 'packages/shared' && to !== undefined,
  },
  {
    says: 'only the control plane, the sign-in of the dashboard, the quick start, the test kit and `service migrate` open the database',
    breaks: ({ file, target }) => target === DATABASE && !matches(DATABASE_USERS, file),
  },
  {
    says: 'only the control plane and packages/database know the database driver',
    breaks: ({ file, target }) => isDriver(target) && !matches(DRIVER_USERS, file),
  },
  {
    says: 'in the control plane only *-store.ts, notification-listener.ts and context.ts touch the database',
    breaks: ({ file, from, target, inTest }) =>
      from.folder === 'services/control-plane' &&
      (target === DATABASE || isDriver(target)) &&
      !inTest &&
      !CONTROL_PLANE_DATABASE_FILES.test(file),
  },
  {
    says: 'another package is imported by its name, so that its package.json says what is public',
    breaks: ({ byPath, from, inTest }) => byPath && from.folder !== '' && !inTest,
  },
  {
    says: 'what is imported stands in the dependencies of the package that imports it',
    breaks: (found, root) => !found.byPath && found.target !== undefined && !isDeclared(found, root),
  },
  {
    says: 'the target of an import is written out, so that it can be checked',
    breaks: ({ file, target }) => target === undefined && !matches(COMPUTED_IMPORTS, file),
  },
];

function isService(at: Package | undefined): boolean {
  return at?.folder.startsWith('services/') ?? false;
}

function isLibrary(at: Package): boolean {
  return at.folder.startsWith('packages/');
}

function isDriver(target: string | undefined): boolean {
  return target !== undefined && (target === 'pg' || target === 'prisma' || target.startsWith('@prisma/'));
}

/** Tests and scripts may use development dependencies, their package's and the repository's. */
function isDeclared({ file, from, inTest, target = '' }: Import, root: Package): boolean {
  if (from.dependencies.has(target)) return true;
  if (!inTest && from.folder !== '' && !file.startsWith(`${from.folder}/scripts/`)) return false;
  return from.devDependencies.has(target) || root.devDependencies.has(target);
}

function matches(patterns: readonly RegExp[], file: string): boolean {
  return patterns.some((pattern) => pattern.test(file));
}
