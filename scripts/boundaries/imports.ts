import { readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join, posix } from 'node:path';
import { specifiersOf } from './specifiers.ts';
import { type Package, packageOf, type Workspace } from './workspace.ts';

/** An import of another package, or of another file of the same package. */
export interface Import {
  file: string;
  line: number;
  from: Package;
  /** True if the import stands in a test, or in the test-kit, which is part of the tests. */
  inTest: boolean;
  specifier: string;
  /** The imported npm or workspace package; undefined when the target is computed. */
  target: string | undefined;
  to: Package | undefined;
  /** The imported file, from the top of the repository; undefined: a package, imported by its name. */
  path: string | undefined;
}

/** Finds every import: values and types, static and dynamic, and re-exports. */
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
