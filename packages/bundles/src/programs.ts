import { globSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
/** The folder of all bundles. */
export const BUNDLES = join(ROOT, 'dist');

/** A file that Node runs: the main file of a program, or one of its threads or processes. */
export interface Entry {
  /** The name of its bundle, without `.mjs`: `main`, `json-worker`. */
  name: string;
  /** An absolute path. */
  file: string;
}

/** A program, by the name of its folder in `dist`. */
export interface Program {
  name: string;
  entries: readonly Entry[];
}

const FOLDERS = {
  catalog: 'services/catalog/src',
  'control-plane': 'services/control-plane/src',
  dashboard: 'services/dashboard/src',
  'data-plane': 'services/data-plane/src',
  'quick-start': 'packages/quick-start/src',
  'simulated-provider': 'packages/simulated-provider/src',
} as const;

/** Returns every program that users start, but not gatewayctl, whose own build runs in older Nodes. */
export function findPrograms(): Program[] {
  const programs = Object.entries(FOLDERS).map(([name, folder]) => ({
    name,
    entries: [
      { name: 'main', file: join(ROOT, folder, 'main.ts') },
      ...globSync('workers/*-worker.ts', { cwd: join(ROOT, folder) }).map((file) => ({
        name: basename(file, '.ts'),
        file: join(ROOT, folder, file),
      })),
    ],
  }));
  const service = { name: 'main', file: join(ROOT, 'scripts', 'service.ts') };
  return [...programs, { name: 'service', entries: [service] }];
}
