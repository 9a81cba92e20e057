import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isTest } from './imports.ts';
import type { Workspace } from './workspace.ts';

/** The folders that hold all sentences of errors, so that documents can be made from them. */
const CATALOGUES: ReadonlyMap<string, string> = new Map([
  ['GatewayError', 'packages/shared/src/errors/'],
  ['DashboardError', 'services/dashboard/src/errors/'],
]);
const CONSTRUCTION = new RegExp(`\\bnew (${[...CATALOGUES.keys()].join('|')})\\(`);

/** Returns a line for each error that is made outside the catalogue of its kind. Tests may make their own. */
export function errorsMadeElsewhere({ files, folder }: Workspace): string[] {
  return files
    .filter((file) => /^(packages|services)\/.*\.ts$/.test(file) && !isTest(file))
    .flatMap((file) =>
      readFileSync(join(folder, file), 'utf8')
        .split('\n')
        .flatMap((text, index) => {
          const name = CONSTRUCTION.exec(text)?.[1] ?? '';
          const catalogue = CATALOGUES.get(name);
          if (catalogue === undefined || file.startsWith(catalogue)) return [];
          return [`${file}:${index + 1} makes a ${name}: give it a constructor in ${catalogue}`];
        }),
    );
}
