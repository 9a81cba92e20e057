// Checks the boundaries of the architecture (scripts/boundaries/rules.ts): `npm run boundaries`.
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { init } from 'es-module-lexer';
import { lostActors } from './boundaries/actors.ts';
import { BACK_ARROWS } from './boundaries/back-arrows.ts';
import { type BackArrow, findCircles } from './boundaries/circles.ts';
import { foreignTables } from './boundaries/dashboard-tables.ts';
import { errorsMadeElsewhere } from './boundaries/error-catalogues.ts';
import { importsOf } from './boundaries/imports.ts';
import { RULES } from './boundaries/rules.ts';
import { readWorkspace } from './boundaries/workspace.ts';

/**
 * Returns a line for every import under `folder` that breaks a rule, for every circle of imports, for every
 * table that a service must not use, and for every change that could lose its actor.
 * @param allowed arrows between folders that may close a circle
 */
export async function findViolations(folder: string, allowed: readonly BackArrow[] = []): Promise<string[]> {
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
    ...findCircles(imports, allowed),
    ...foreignTables(workspace),
    ...errorsMadeElsewhere(workspace),
    ...lostActors(workspace),
  ];
}

if (import.meta.main) {
  const violations = await findViolations(fileURLToPath(new URL('..', import.meta.url)), BACK_ARROWS);
  for (const violation of violations) process.stdout.write(`${violation}\n`);
  process.exitCode = violations.length === 0 ? 0 : 1;
}
