import { readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join, posix } from 'node:path';
import { specifiersOf } from './specifiers.ts';
import { type Package, packageOf, type Workspace } from './workspace.ts';

/** One import of another package, or of another file of its own. */
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
  /** Path of the file it reaches, from the top of the repository; undefined when it is imported by a name. */
  path: string | undefined;
}

/** Every import: values and types, static and dynamic, re-exports too. */
export function importsOf(workspace: Workspace): Import[] {
  return workspace.files.flatMap((file) => importsOfFile(workspace, file));
}

function importsOfFile(workspace: Workspace, file: string): Import[] {
  const source = readFileSync(join(workspace.folder, file), 'utf8');
  const from = packageOf(workspace, file);
  const place = { file, from, inTest: isTest(file) };
  return specifiersOf(source, file).flatMap(({ line, text: specifier, computed }): Import[] => {
    if (computed) return [{ ...place, line, specifier, target: undefined, to: undefined, path: undefined }];
    if (isBuiltin(specifier)) return [];
    if (specifier.startsWith('.') || specifier.startsWith('/')) {
      const path = posix.join(posix.dirname(file), specifier);
      const to = packageOf(workspace, path);
      return [{ ...place, line, specifier, target: to.name, to, path }];
    }
    const target = packageName(specifier);
    const to = workspace.packages.find(({ name }) => name === target);
    return [{ ...place, line, specifier, target, to, path: undefined }];
  });
}

export function isTest(file: string): boolean {
  return /\.test\.ts$|\/tests\/|^tests\//.test(file) || file.startsWith('packages/test-kit/');
}

/** `@scope/name/sub/path` → `@scope/name` */
function packageName(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}
