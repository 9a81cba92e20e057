// Checks the boundaries of the architecture (scripts/boundaries/rules.ts): `npm run boundaries`.
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { init } from 'es-module-lexer';
import { lostActors } from './boundaries/actors.ts';
import { findCycles } from './boundaries/cycles.ts';
import { foreignTables } from './boundaries/dashboard-tables.ts';
import { errorsMadeElsewhere } from './boundaries/error-catalogues.ts';
import { importsOf } from './boundaries/imports.ts';
import { unrecordedChanges } from './boundaries/recorded-changes.ts';
import { RULES } from './boundaries/rules.ts';
import { readWorkspace } from './boundaries/workspace.ts';

/** Returns a line for every violation under `folder`: imports, cycles, tables, errors, actors, changes. */
export async function findViolations(folder: string): Promise<string[]> {
  await init();
  const workspace = readWorkspace(folder);
  const imports = importsOf(workspace);
  const broken = imports.flatMap((found) =>
    RULES.filter((rule) => rule.breaks(found, workspace.root)).map(
      (rule) => `${found.file}:${found.line} imports ${found.specifier}: ${rule.says}`,
    ),
  );
  return [
    ...broken,
    ...findCycles(imports),
    ...foreignTables(workspace),
    ...errorsMadeElsewhere(workspace),
    ...lostActors(workspace),
    ...unrecordedChanges(workspace),
  ];
}

if (import.meta.main) {
  const violations = await findViolations(fileURLToPath(new URL('..', import.meta.url)));
  for (const violation of violations) process.stdout.write(`${violation}\n`);
  process.exitCode = violations.length === 0 ? 0 : 1;
}
