#!/usr/bin/env node
// Starts gatewayctl, which is built as one file. In a checkout it is built again when a source is newer than
// the last build; the installed package contains it.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import * as module from 'node:module';
import { constants } from 'node:os';
import { join, resolve } from 'node:path';
import process from 'node:process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { findNode } from '../scripts/find-node.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const program = join(root, 'packages', 'cli', 'dist', 'gatewayctl.mjs');
const isInstalled = /[\\/]node_modules[\\/]/.test(root);
const cache = isInstalled ? undefined : join(root, '.tools', 'compile-cache');

if (isInstalled) {
  // `model-gateway start` of the package keeps its data in the working directory.
  process.env.GATEWAY_DATA_DIR ||= resolve('.gateway');
} else if (!isUpToDate()) {
  const bootstrap = join(root, 'scripts', 'bootstrap.mjs');
  const { status } = spawnSync(process.execPath, [bootstrap, '--cli'], { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
const node = findNode();
if (node === undefined || node === process.execPath) await run();
else runWith(node);

/** Compares times instead of contents, because it runs before every command. */
function isUpToDate() {
  const stamp = join(root, '.tools', 'cli.stamp');
  if (!existsSync(stamp) || !existsSync(program)) return false;
  const builtAtMs = statSync(stamp).mtimeMs;
  const isOlder = (path) => statSync(join(root, path), { throwIfNoEntry: false })?.mtimeMs <= builtAtMs;
  const sources = ['cli', 'contracts', 'service-kit', 'shared'].map((name) => `packages/${name}/src`);
  const files = ['proto', ...sources].flatMap((folder) => [
    folder,
    ...readdirSync(join(root, folder), { recursive: true }).map((name) => join(folder, String(name))),
  ]);
  // Generated files follow from `proto`. They are most of the files.
  return ['pnpm-lock.yaml', 'packages/cli/vite.config.ts', ...files]
    .filter((file) => !file.includes('generated'))
    .every(isOlder);
}

/** In this process, which saves the start of another one. */
async function run() {
  if (cache !== undefined) module.enableCompileCache?.(cache);
  process.argv[1] = program;
  await import(pathToFileURL(program).href);
}

function runWith(node) {
  const env = { NODE_COMPILE_CACHE: cache, ...process.env };
  const child = spawn(node, [program, ...process.argv.slice(2)], { stdio: 'inherit', env });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    // A terminal sends Ctrl-C to both processes.
    process.on(signal, () => (process.stdin.isTTY && signal === 'SIGINT' ? undefined : child.kill(signal)));
  }
  child.on('exit', (code, signal) => process.exit(code ?? 128 + (constants.signals[signal] ?? 0)));
}
