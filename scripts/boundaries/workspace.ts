import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A folder with a package.json. Paths are relative to the repository and have `/`. */
export interface Package {
  name: string;
  /** `services/data-plane`; empty for the repository itself. */
  folder: string;
  /** The packages that its code may import. */
  dependencies: ReadonlySet<string>;
  /** The packages that only its tests and scripts may import. */
  devDependencies: ReadonlySet<string>;
}

export interface Workspace {
  folder: string;
  /** The repository itself: scripts/ and the configuration files beside it. */
  root: Package;
  packages: readonly Package[];
  /** Every source file that is written by hand. */
  files: readonly string[];
}

export function readWorkspace(folder: string): Workspace {
  const packages = globSync(['{packages,services}/*/package.json', 'bench/package.json'], {
    cwd: folder,
  }).map((path) => readPackage(folder, path.slice(0, -'/package.json'.length).replaceAll('\\', '/')));
  const files = globSync(['*.ts', '{bench,packages,scripts,services,tests}/**/*.{ts,tsx,mjs}'], {
    cwd: folder,
    exclude: (path) => /(^|[\\/])(node_modules|generated)$/.test(path),
  });
  return {
    folder,
    root: readPackage(folder, ''),
    packages,
    files: files.map((file) => file.replaceAll('\\', '/')).sort(),
  };
}

export function packageOf(workspace: Workspace, file: string): Package {
  return workspace.packages.find(({ folder }) => file.startsWith(`${folder}/`)) ?? workspace.root;
}

/** The shape is known: pnpm refuses a manifest of another one. */
interface Manifest {
  name?: string;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
}

function readPackage(root: string, folder: string): Package {
  const manifest: Manifest = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
  return {
    name: manifest.name ?? '',
    folder,
    dependencies: new Set(Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies })),
    devDependencies: new Set(Object.keys(manifest.devDependencies ?? {})),
  };
}
