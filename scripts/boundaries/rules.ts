import type { Import } from './imports.ts';
import type { Package } from './workspace.ts';

export interface Rule {
  /** Completes "… imports …: ". */
  says: string;
  breaks(found: Import, root: Package): boolean;
}

const DATABASE = '@model-gateway/database';

/** The files that may open the database. The data plane and the catalog are left out on purpose. */
const DATABASE_USERS = [
  /^services\/control-plane\//,
  // For its own sign-in tables only.
  /^services\/dashboard\/src\/(context|.+-store)\.ts$/,
  /^packages\/test-kit\//,
  // Embedded Postgres, and the made-up usage of the demo account.
  /^packages\/quick-start\/src\/(database|demo-usage\/demo-usage-store)\.ts$/,
  /^bench\/src\/(gateway\/gateway-database|measure-gateway|storage\/(settlement-database|storage))\.ts$/,
  /^scripts\/service(\.slow\.test)?\.ts$/,
];
/** The files of the control plane that know SQL. Its other files call these. */
const CONTROL_PLANE_DATABASE_FILES = /\/([^/]+-store|notification-listener|context|stores)\.ts$/;
const GRPC_FILES_OF_CONTROL_PLANE =
  /^services\/control-plane\/src\/(rpc\/|management\/rpc\/|errors\/map-error|start-control-plane)/;
/** The packages that may know which database it is. */
const DRIVER_USERS = [
  /^services\/control-plane\//,
  /^packages\/(database|test-kit)\//,
  /^prisma\.config\.ts$/,
];

/** Translation must not depend on connections, threads or billing. */
const KNOWN_TO_DIALECTS = ['packages/shared', 'packages/service-kit'];

const DASHBOARD = 'services/dashboard';
/** The folders of the dashboard, and which of them each may import. Its tests may import all. */
const DASHBOARD_PARTS: ReadonlyMap<string, readonly string[]> = new Map([
  [`${DASHBOARD}/web`, [`${DASHBOARD}/web`, `${DASHBOARD}/wire`]],
  [`${DASHBOARD}/wire`, [`${DASHBOARD}/wire`]],
  [`${DASHBOARD}/src`, [`${DASHBOARD}/src`, `${DASHBOARD}/wire`]],
]);
/** Matches files that become a part of a built site, or that build one. No service runs them. */
const BUILT = [
  /^services\/dashboard\/(web\/|vite\.config\.ts$)/,
  /^packages\/(cli\/vite\.config\.ts$|docs-site\/)/,
];

const BETWEEN_PACKAGES: readonly Rule[] = [
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
    says: 'packages/dialects imports nothing of this repository but packages/shared and packages/service-kit',
    breaks: ({ from, to }) =>
      from.folder === 'packages/dialects' && to !== undefined && !KNOWN_TO_DIALECTS.includes(to.folder),
  },
  {
    says:
      'only the control plane, the sign-in of the dashboard, the quick start, the test kit, the ' +
      'benchmark and `service migrate` open the database',
    breaks: ({ file, target }) => target === DATABASE && !matches(DATABASE_USERS, file),
  },
  {
    says: 'only the control plane and packages/database know the database driver',
    breaks: ({ file, target }) => isDriver(target) && !matches(DRIVER_USERS, file),
  },
  {
    says: 'in the control plane only *-store.ts, stores.ts, notification-listener.ts and context.ts touch the database',
    breaks: ({ file, from, target, inTest }) =>
      from.folder === 'services/control-plane' &&
      (target === DATABASE || isDriver(target)) &&
      !inTest &&
      !CONTROL_PLANE_DATABASE_FILES.test(file),
  },
  {
    says: 'in the control plane only the adapters in rpc/ and management/rpc/ know gRPC; the other folders do the work of a call',
    breaks: ({ file, from, target, inTest }) =>
      from.folder === 'services/control-plane' &&
      target === '@grpc/grpc-js' &&
      !inTest &&
      !GRPC_FILES_OF_CONTROL_PLANE.test(file),
  },
  {
    says: 'another package is imported by its name, so that its package.json says what is public',
    breaks: ({ path, from, inTest }) => path !== undefined && from.folder !== '' && !inTest,
  },
  {
    says: 'an import must be in the dependencies of the package that imports it',
    breaks: (found, root) =>
      found.path === undefined && found.target !== undefined && !isDeclared(found, root),
  },
  {
    says: 'the target of an import must be a literal, so that it can be checked',
    breaks: ({ target }) => target === undefined,
  },
  {
    says:
      'the site of the dashboard runs in a browser: of this repository it and wire/ know ' +
      'packages/shared alone',
    breaks: ({ file, to }) =>
      /^services\/dashboard\/(web|wire)\//.test(file) && to !== undefined && to.folder !== 'packages/shared',
  },
];

const WITHIN_A_PACKAGE: readonly Rule[] = [
  {
    says: 'the site of the dashboard and its server share wire/ alone, which knows neither',
    breaks: ({ file, path }) => {
      const known = DASHBOARD_PARTS.get(partOf(file));
      return known !== undefined && !known.includes(partOf(path ?? `${DASHBOARD}/src/index.ts`));
    },
  },
];

/** Every import is checked against each of these rules. */
export const RULES: readonly Rule[] = [
  ...BETWEEN_PACKAGES.map(({ says, breaks }) => ({
    says,
    breaks: (found: Import, root: Package) => found.to !== found.from && breaks(found, root),
  })),
  ...WITHIN_A_PACKAGE.map(({ says, breaks }) => ({
    says,
    breaks: (found: Import, root: Package) => found.to === found.from && breaks(found, root),
  })),
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

/** Tests, scripts and built files may use development dependencies of their package and of the repository. */
function isDeclared({ file, from, inTest, target = '' }: Import, root: Package): boolean {
  if (from.dependencies.has(target)) return true;
  const atDevelopment = inTest || matches(BUILT, file) || file.startsWith(`${from.folder}/scripts/`);
  if (from.folder !== '' && !atDevelopment) return false;
  return from.devDependencies.has(target) || root.devDependencies.has(target);
}

function matches(patterns: readonly RegExp[], file: string): boolean {
  return patterns.some((pattern) => pattern.test(file));
}

/** `services/dashboard/web/src/app.tsx` → `services/dashboard/web` */
function partOf(path: string): string {
  return path.split('/').slice(0, 3).join('/');
}
