#!/usr/bin/env node
// Starts the gateway, or one of its services: `model-gateway start`, `model-gateway service NAME`.
// Node runs no TypeScript below node_modules. The installed package is therefore copied to a folder of the
// user once, and prepared there as a checkout is: scripts/bootstrap.mjs gets Node 24 and the dependencies.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { constants, homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const COMMANDS = {
  start: ['--site', '--docs', '--bundles', 'node', 'dist/quick-start/main.mjs'],
  service: ['--site-for', 'dashboard', '--docs-for', 'catalog', '--bundles', 'node', 'dist/service/main.mjs'],
};
const USAGE = `Usage: model-gateway start [--port PORT] [--dashboard-port PORT] [--data-dir FOLDER] [--catalog FILE]
       model-gateway service NAME

start    run a whole gateway on this machine; "model-gateway start --help" explains its options
service  run one service, set by environment variables: data-plane, control-plane, catalog, dashboard, migrate

"gatewayctl" manages a gateway.
`;

const here = fileURLToPath(new URL('..', import.meta.url));
const [name, ...args] = process.argv.slice(2);
if (name === '--version') {
  process.stdout.write(`${JSON.parse(readFileSync(join(here, 'package.json'), 'utf8')).version}\n`);
} else if (Object.hasOwn(COMMANDS, name ?? '')) {
  run(COMMANDS[name]);
} else {
  const isHelp = name === '--help' || name === '-h' || name === 'help';
  (isHelp ? process.stdout : process.stderr).write(USAGE);
  process.exitCode = isHelp ? 0 : 2;
}

function run(command) {
  const isInstalled = /[\\/]node_modules[\\/]/.test(here);
  const folder = isInstalled ? unpack() : here;
  // Relative paths, .env and the default data directory belong to the folder in which the user is.
  const env = isInstalled ? { ...process.env, MODEL_GATEWAY_FOLDER: resolve('.') } : process.env;
  const bootstrap = join(folder, 'scripts', 'bootstrap.mjs');
  const child = spawn(process.execPath, [bootstrap, ...command, ...args], { stdio: 'inherit', env });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    // A terminal sends Ctrl-C to both processes.
    process.on(signal, () => (process.stdin.isTTY && signal === 'SIGINT' ? undefined : child.kill(signal)));
  }
  child.on('exit', (code, signal) => process.exit(code ?? 128 + (constants.signals[signal] ?? 0)));
}

/** @returns the folder of the user with the files of this package */
function unpack() {
  const files = readdirSync(here, { recursive: true })
    .map(String)
    .filter((file) => statSync(join(here, file)).isFile())
    .sort();
  const hash = createHash('sha256');
  for (const file of files) hash.update(`\0${file}\0`).update(readFileSync(join(here, file)));
  const data = process.env.XDG_DATA_HOME || join(homedir(), '.local', 'share');
  const folder = join(data, 'model-gateway', hash.digest('hex').slice(0, 16));
  if (existsSync(folder)) return folder;
  process.stderr.write(`model-gateway: unpacking into ${folder} ...\n`);
  const unfinished = `${folder}.${process.pid}`;
  mkdirSync(dirname(folder), { recursive: true });
  cpSync(here, unfinished, { recursive: true });
  // npm never packs a lockfile at the root.
  cpSync(join(here, 'packages/cli/dist/pnpm-lock.yaml'), join(unfinished, 'pnpm-lock.yaml'));
  try {
    renameSync(unfinished, folder);
  } catch (error) {
    // Another process was first.
    rmSync(unfinished, { recursive: true });
    if (!existsSync(folder)) throw error;
  }
  return folder;
}
