// Runs a command of this repository on a machine that has only Node >= 18 and npm:
//   node scripts/bootstrap.mjs [--site | --site-for ARG] [--docs | --docs-for ARG] [--cli] [--bundles]
//     COMMAND [ARG ...]
// If Node 24 or pnpm is missing, it gets them from npm, into .tools/. It installs dependencies and generates
// code if their inputs have changed, and then runs COMMAND.
// --site also builds the web site of the dashboard if its inputs have changed; COMMAND may then be left out.
// --site-for builds it only if ARG is among the arguments of COMMAND, so that other commands need not wait.
// --docs and --docs-for do the same for the documentation site.
// --cli also builds gatewayctl as one file (bin/gatewayctl.mjs starts it); COMMAND may then be left out.
// --bundles also bundles every program of packages/bundles into dist/; COMMAND may then be left out.
// This file is plain JavaScript, because it must run before anything is installed.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import process from 'node:process';
import { findNode, NODE_MAJOR, NODE_PACKAGE } from './find-node.mjs';
import { CLI, DASHBOARD, DOCS, isFresh, prepare, readIfThere, root, stampFile, tools } from './freshness.mjs';

const PNPM_PACKAGE = 'pnpm@12.21.0';

/** How often a command looks whether another one has ended, and after how long it says that it waits. */
const WAIT_MS = 200;
const SILENT_WAIT_MS = 5_000;
const USAGE =
  'usage: node scripts/bootstrap.mjs [--site | --site-for ARG] [--docs | --docs-for ARG] [--cli] [--bundles] ' +
  'COMMAND [ARG ...]';
const BUNDLES = join('packages', 'bundles');
/** The build of each `--NAME`, in the order in which they run. */
const BUILDS = { site: buildSite, docs: buildDocs, cli: buildCli, bundles: buildBundles };

await main(parseArguments(process.argv.slice(2)));

async function main({ needed, command, args }) {
  const env = cleanEnvironment();
  const isReady = () => ['install', 'generate', ...needed].every(isFresh);
  let node = findNode();
  if (node === undefined || !isReady()) {
    const release = await takeLock();
    try {
      node = findNode() ?? installNode(env);
      prependPath(env, dirname(node));
      prepare('install', () => installDependencies(env));
      prepare('generate', () => generateCode(env, node));
      for (const name of needed) prepare(name, () => BUILDS[name](env, node));
    } finally {
      release();
    }
  }
  // bin/gatewayctl.mjs compares the time of the stamp with those of the files.
  if (needed.includes('cli')) utimesSync(stampFile('cli'), new Date(), new Date());
  if (command === undefined) return;
  prependPath(env, dirname(node));
  prependPath(env, join(root, 'node_modules', '.bin'));
  // Development starts the same programs again and again, so their compiled code is kept.
  env.NODE_COMPILE_CACHE ??= join(tools, 'compile-cache');
  run(command === 'node' ? node : command, args, env);
}

function parseArguments(words) {
  const rest = [...words];
  const flags = new Map();
  for (; rest[0]?.startsWith('--'); rest.shift()) {
    if (['--site', '--docs', '--cli', '--bundles'].includes(rest[0])) flags.set(rest[0], true);
    else if (['--site-for', '--docs-for'].includes(rest[0])) flags.set(rest[0], rest.splice(1, 1)[0]);
    else break;
  }
  const [command, ...args] = rest;
  const needs = (flag) => flags.has(flag) || args.includes(flags.get(`${flag}-for`));
  const needed = Object.keys(BUILDS).filter((name) => needs(`--${name}`));
  const isComplete = command === undefined ? needed.length > 0 : !command.startsWith('--');
  if (!isComplete) fail(USAGE);
  return { needed, command, args };
}

/** npm passes its own settings on as npm_config_*; the nested npm and pnpm must not inherit them. */
function cleanEnvironment() {
  const env = {};
  for (const [name, value] of Object.entries(process.env)) {
    if (!/^npm_(config|package|lifecycle)_/i.test(name)) env[name] = value;
  }
  env.CHECKPOINT_DISABLE = '1';
  return env;
}

function installNode(env) {
  const spec = NODE_PACKAGE;
  if (spec === undefined) {
    fail(
      `No Node ${NODE_MAJOR} package for ${process.platform}-${process.arch}: install Node ` +
        `${NODE_MAJOR} and run this again.`,
    );
  }
  say(`Node ${process.versions.node} is running; getting Node ${NODE_MAJOR} from npm ...`);
  npmInstall(env, join(tools, 'node'), spec);
  const node = findNode();
  if (node === undefined) fail(`npm installed ${spec}, but it holds no bin/node.`);
  return node;
}

function installDependencies(env) {
  const pnpm = join(tools, 'pnpm', 'node_modules', '.bin', 'pnpm');
  if (!existsSync(pnpm)) npmInstall(env, join(tools, 'pnpm'), PNPM_PACKAGE);
  say('installing dependencies ...');
  step(pnpm, ['install', '--frozen-lockfile', '--pm-on-fail=ignore'], env);
}

function generateCode(env, node) {
  say('generating the database client and the gRPC types ...');
  step(join(root, 'node_modules', '.bin', 'prisma'), ['generate'], env);
  step(node, ['packages/contracts/scripts/generate.ts'], env);
}

function buildSite(env, node) {
  say('building the web site of the dashboard ...');
  viteBuild(env, node, DASHBOARD);
}

function buildDocs(env, node) {
  say('building the documentation site ...');
  step(node, [join(DOCS, 'src', 'main.ts')], env);
}

function buildCli(env, node) {
  // This takes two seconds, and what gatewayctl writes to standard error is read by programs.
  viteBuild(env, node, CLI);
}

function buildBundles(env, node) {
  say('bundling the services ...');
  step(node, [join(BUNDLES, 'src', 'main.ts')], env);
}

function viteBuild(env, node, folder) {
  const vite = join(root, folder, 'node_modules', 'vite', 'bin', 'vite.js');
  step(node, [vite, 'build', '--config', join(folder, 'vite.config.ts'), '--logLevel', 'warn'], env);
}

function npmInstall(env, prefix, spec) {
  mkdirSync(prefix, { recursive: true });
  step(
    'npm',
    ['install', '--prefix', prefix, '--no-save', '--no-audit', '--no-fund', '--loglevel=error', spec],
    env,
  );
}

/**
 * Runs a step quietly; its output is shown only when it fails. NODE_ENV is meant for the command and is left
 * out here, because what is prepared once must serve every command. In production pnpm would leave out the
 * tools that build; in development Vite would build for debugging.
 */
function step(command, args, { NODE_ENV: _, ...env }) {
  const result = spawnSync(command, args, { cwd: root, env, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  if (result.status === 0) return;
  process.stderr.write(`${result.stdout ?? ''}${result.stderr ?? ''}\n`);
  fail(`failed: ${[command, ...args].join(' ')}${result.error ? ` (${result.error.message})` : ''}`);
}

function run(command, args, env) {
  const child = spawn(command, args, { cwd: root, env, stdio: 'inherit' });
  // A terminal sends Ctrl-C to the whole process group, so the child has got it already. A process manager
  // signals only this process.
  const forward = (signal) => (process.stdin.isTTY && signal === 'SIGINT' ? undefined : child.kill(signal));
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, forward);
  child.on('error', (error) => fail(`could not run ${command}: ${error.message}`));
  child.on('exit', (code, signal) => process.exit(code ?? 128 + (constants.signals[signal] ?? 0)));
}

/**
 * Two commands that are started at the same time must not install or build into the same folder. The lock of
 * a dead process is taken over.
 */
async function takeLock() {
  const file = join(tools, 'bootstrap.lock');
  mkdirSync(tools, { recursive: true });
  for (let waits = 1; ; waits++) {
    try {
      writeFileSync(file, String(process.pid), { flag: 'wx' });
      return () => rmSync(file, { force: true });
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
    if (!isAlive(Number(readIfThere(file)))) {
      rmSync(file, { force: true });
      continue;
    }
    if (waits * WAIT_MS === SILENT_WAIT_MS) say('waiting for another command that installs or builds ...');
    await new Promise((resolve) => setTimeout(resolve, WAIT_MS));
  }
}

function isAlive(pid) {
  if (!(pid > 0)) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

function prependPath(env, folder) {
  env.PATH = env.PATH ? `${folder}${delimiter}${env.PATH}` : folder;
}

function say(text) {
  process.stderr.write(`model-gateway: ${text}\n`);
}

function fail(text) {
  say(text);
  process.exit(1);
}
