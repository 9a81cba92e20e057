import { execFileSync, spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { parseAllDocuments } from 'yaml';
import { type Manifest, manifest } from './read-manifests.ts';

/** Go modules of the commands, for machines with Go but without the commands. */
const MODULES = {
  helm: 'helm.sh/helm/v3/cmd/helm@v3.22.0',
  kustomize: 'sigs.k8s.io/kustomize/kustomize/v5@v5.7.1',
} as const;

type Renderer = keyof typeof MODULES;

/** Returns how to start a command, installed or from its Go module; undefined: not at all. */
function startOf(name: Renderer): readonly [string, ...string[]] | undefined {
  if (spawnSync(name, ['version']).status === 0) return [name];
  return spawnSync('go', ['version']).status === 0 ? ['go', 'run', MODULES[name]] : undefined;
}

export function canRender(): boolean {
  return startOf('helm') !== undefined && startOf('kustomize') !== undefined;
}

/** @throws with the command's output when it fails */
export function render(name: Renderer, args: readonly string[]): string {
  const [command, ...before] = startOf(name) ?? [name];
  // Outside of any Go module.
  return execFileSync(command, [...before, ...args], { cwd: tmpdir(), encoding: 'utf8', stdio: 'pipe' });
}

export function parseObjects(text: string): Manifest[] {
  return parseAllDocuments(text)
    .map((document) => document.toJS())
    .filter((object) => object !== null)
    .map((object) => manifest.parse(object));
}
