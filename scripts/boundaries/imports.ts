import { readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join, posix } from 'node:path';
import { parse } from 'es-module-lexer';
import { type Package, packageOf, type Workspace } from './workspace.ts';

/** One import that leaves its own package. */
export interface Import {
  /** Where it is written. */
  file: string;
  line: number;
  from: Package;
  /** Tests, and the test-kit, which is part of them. */
  inTest: boolean;
  specifier: string;
  /** The npm or workspace package it reaches; undefined when the target is computed. */
  target: string | undefined;
  /** The package of this repository it reaches, if it is one. */
  to: Package | undefined;
  byPath: boolean;
}

/** Every import that leaves its package: values and types, static and dynamic, re-exports too. */
export function importsOf(workspace: Workspace): Import[] {
  return workspace.files.flatMap((file) => importsOfFile(workspace, file));
}

function importsOfFile(workspace: Workspace, file: string): Import[] {
  const source = readFileSync(join(workspace.folder, file), 'utf8');
  const from = packageOf(workspace, file);
  const place = { file, from, inTest: isTest(file) };
  return parse(source, file)[0].flatMap((found): Import[] => {
    if (found.type === 'import-meta') return [];
    const line = source.slice(0, found.importStart).split('\n').length;
    const computed = found.specifier === undefined || (found.type === 'dynamic' && found.glob);
    const specifier = found.specifier ?? source.slice(found.start, found.end);
    if (computed) return [{ ...place, line, specifier, target: undefined, to: undefined, byPath: false }];
    if (isBuiltin(specifier)) return [];
    const byPath = specifier.startsWith('.') || specifier.startsWith('/');
    const to = byPath
      ? packageOf(workspace, posix.join(posix.dirname(file), specifier))
      : workspace.packages.find(({ name }) => name === packageName(specifier));
    if (to === from) return [];
    const target = byPath ? (to?.name ?? '') : packageName(specifier);
    return [{ ...place, line, specifier, target, to, byPath }];
  });
}

function isTest(file: string): boolean {
  return /\.test\.ts$|\/tests\/|^tests\//.test(file) || file.startsWith('packages/test-kit/');
}

/** `@scope/name/sub/path` → `@scope/name` */
function packageName(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}
