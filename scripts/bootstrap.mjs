// Runs a command of this repository on a machine that has only Node >= 18 and npm:
//   node scripts/bootstrap.mjs [--site | --site-for ARG] [--docs | --docs-for ARG] [--cli] COMMAND [ARG ...]
// If Node 24 or pnpm is missing, it gets them from npm, into .tools/. It installs dependencies and generates
// code if their inputs have changed, and then runs COMMAND.
// --site also builds the web site of the dashboard if its inputs have changed; COMMAND may then be left out.
// --site-for builds it only if ARG is among the arguments of COMMAND, so that other commands need not wait.
// --docs and --docs-for do the same for the documentation site.
// --cli also builds gatewayctl as one file (bin/gatewayctl.mjs starts it); COMMAND may then be left out.
// This file is plain JavaScript, because it must run before anything is installed.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { constants } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { findNode, NODE_MAJOR, NODE_PACKAGE } from './find-node.mjs';

const PNPM_PACKAGE = 'pnpm@12.21.0';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const tools = join(root, '.tools');
/** How often a command looks whether another one has ended, and after how long it says that it waits. */
const WAIT_MS = 200;
const SILENT_WAIT_MS = 5_000;
const USAGE =
  'usage: node scripts/bootstrap.mjs [--site | --site-for ARG] [--docs | --docs-for ARG] [--cli] COMMAND [ARG ...]';
const CLI = join('packages', 'cli');
const DOCS = join('packages', 'docs-site');

await main(parseArguments(process.argv.slice(2)));

async function main({ needsSite, needsDocs, needsCli, command, args }) {
  const env = cleanEnvironment();
  const stamps = {
    install: installStamp(),
    generate: generateStamp(),
    ...(needsSite && { site: siteStamp() }),
    ...(needsDocs && { docs: docsStamp() }),
    ...(needsCli && { cli: cliStamp() }),
  };
  const isReady = () => Object.entries(stamps).every(([name, stamp]) => isFresh(name, stamp));
  let node = findNode();
  if (node === undefined || !isReady()) {
    const release = await takeLock();
    try {
      node = findNode() ?? installNode(env);
      prependPath(env, dirname(node));
      if (!isFresh('install', stamps.install)) installDependencies(env, stamps.install);
      if (!isFresh('generate', stamps.generate)) generateCode(env, node, stamps.generate);
      if (needsSite && !isFresh('site', stamps.site)) buildSite(env, node, stamps.site);
      if (needsDocs && !isFresh('docs', stamps.docs)) buildDocs(env, node, stamps.docs);
      if (needsCli && !isFresh('cli', stamps.cli)) buildCli(env, node, stamps.cli);
    } finally {
      release();
    }
  }
  // bin/gatewayctl.mjs compares the time of the stamp with those of the files.
  if (needsCli) utimesSync(stampFile('cli'), new Date(), new Date());
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
    if (['--site', '--docs', '--cli'].includes(rest[0])) flags.set(rest[0], true);
    else if (['--site-for', '--docs-for'].includes(rest[0])) flags.set(rest[0], rest.splice(1, 1)[0]);
    else break;
  }
  const [command, ...args] = rest;
  const needs = (flag) => flags.has(flag) || args.includes(flags.get(`${flag}-for`));
  const [needsSite, needsDocs, needsCli] = ['--site', '--docs', '--cli'].map(needs);
  const isComplete = command === undefined ? needsSite || needsDocs || needsCli : !command.startsWith('--');
  if (!isComplete) fail(USAGE);
  return { needsSite, needsDocs, needsCli, command, args };
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

function installDependencies(env, stamp) {
  const pnpm = join(tools, 'pnpm', 'node_modules', '.bin', 'pnpm');
  if (!existsSync(pnpm)) npmInstall(env, join(tools, 'pnpm'), PNPM_PACKAGE);
  say('installing dependencies ...');
  step(pnpm, ['install', '--frozen-lockfile', '--pm-on-fail=ignore'], env);
  markFresh('install', stamp);
}

function generateCode(env, node, stamp) {
  say('generating the database client and the gRPC types ...');
  step(join(root, 'node_modules', '.bin', 'prisma'), ['generate'], env);
  step(node, ['packages/contracts/scripts/generate.ts'], env);
  markFresh('generate', stamp);
}

function buildSite(env, node, stamp) {
  say('building the web site of the dashboard ...');
  viteBuild(env, node, join('services', 'dashboard'));
  markFresh('site', stamp);
}

function buildDocs(env, node, stamp) {
  say('building the documentation site ...');
  step(node, [join(DOCS, 'src', 'main.ts')], env);
  markFresh('docs', stamp);
}

function buildCli(env, node, stamp) {
  // This takes two seconds, and what gatewayctl writes to standard error is read by programs.
  viteBuild(env, node, CLI);
  markFresh('cli', stamp);
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

function installStamp() {
  return hashFiles([
    'pnpm-lock.yaml',
    'pnpm-workspace.yaml',
    'package.json',
    ...['packages', 'services'].flatMap((folder) =>
      readdirSync(join(root, folder)).map((name) => `${folder}/${name}/package.json`),
    ),
  ]);
}

function generateStamp() {
  return hashFiles([
    'pnpm-lock.yaml',
    'prisma.config.ts',
    'prisma/schema.prisma',
    'packages/contracts/scripts/generate.ts',
    ...filesIn('proto').filter((name) => name.endsWith('.proto')),
  ]);
}

function siteStamp() {
  const dashboard = join('services', 'dashboard');
  return hashFiles([
    'pnpm-lock.yaml',
    join(dashboard, 'vite.config.ts'),
    ...filesIn(join(dashboard, 'web')),
    // Files that the site shares with its server.
    ...filesIn(join(dashboard, 'wire')),
    ...filesIn(join('packages', 'shared', 'src')),
  ]);
}

function docsStamp() {
  return hashFiles([
    'pnpm-lock.yaml',
    ...readdirSync(root).filter((name) => name.endsWith('.md')),
    ...['docs', 'deploy', join(DOCS, '.vitepress'), join(DOCS, 'src')]
      .flatMap(filesIn)
      .filter((file) => /\.(md|png|ts)$/.test(file)),
  ]);
}

function cliStamp() {
  const packages = ['cli', 'contracts', 'service-kit', 'shared'];
  return hashFiles([
    'pnpm-lock.yaml',
    join(CLI, 'vite.config.ts'),
    ...filesIn('proto'),
    ...packages
      .flatMap((name) => filesIn(join('packages', name, 'src')))
      .filter((file) => !isGenerated(file)),
  ]);
}

/** Generated files follow from the files in `proto`. */
function isGenerated(file) {
  return file.includes(join('src', 'generated'));
}

function filesIn(folder) {
  return readdirSync(join(root, folder), { recursive: true })
    .map((name) => join(folder, String(name)))
    .filter((path) => !path.includes('.test.') && statSync(join(root, path)).isFile())
    .sort();
}

function hashFiles(files) {
  const hash = createHash('sha256').update(`${process.platform}-${process.arch}`);
  for (const file of files) {
    const path = join(root, file);
    hash.update(`\0${file}\0`).update(existsSync(path) ? readFileSync(path) : '');
  }
  return hash.digest('hex');
}

function isFresh(name, stamp) {
  const products = {
    install: ['node_modules'],
    generate: ['packages/contracts/src/generated', 'packages/database/src/generated'],
    site: ['services/dashboard/dist/index.html'],
    docs: ['services/catalog/dist/index.html'],
    cli: ['packages/cli/dist/gatewayctl.mjs'],
  };
  const file = stampFile(name);
  return (
    existsSync(file) &&
    readFileSync(file, 'utf8') === stamp &&
    products[name].every((product) => existsSync(join(root, product)))
  );
}

function markFresh(name, stamp) {
  mkdirSync(tools, { recursive: true });
  writeFileSync(stampFile(name), stamp);
}

function stampFile(name) {
  return join(tools, `${name}.stamp`);
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

function readIfThere(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
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
