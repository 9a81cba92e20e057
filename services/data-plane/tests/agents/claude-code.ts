import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import { installedOnce, runInstaller } from './fetched-package.ts';
import tried from './tried-programs.json' with { type: 'json' };

const PACKAGE = `@anthropic-ai/claude-code@${tried.npm['@anthropic-ai/claude-code']}`;
const RUN_MS = 5 * 60_000;

/** Fetches Claude Code from npm, once. @returns its program */
export async function fetchClaudeCode(): Promise<string> {
  const folder = await installedOnce('claude-code', PACKAGE, async (into) => {
    await writeFile(join(into, 'package.json'), '{"private":true}');
    // Without the scripts of packages: its own is run below, where it can be seen to fail.
    const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', PACKAGE];
    await runInstaller('npm', args, into);
    const home = join(into, 'node_modules', '@anthropic-ai', 'claude-code');
    await runInstaller(process.execPath, [join(home, 'install.cjs')], home);
  });
  return join(folder, 'node_modules', '.bin', 'claude');
}

export interface ClaudeCodeRun extends AsyncDisposable {
  exitCode: number | null;
  output: string;
  /** The git repository in which it worked. */
  folder: string;
  /** Continues the conversation with another task and another model. */
  continueWith(model: string, task: string): Promise<ClaudeCodeRun>;
}

/**
 * Runs Claude Code with one task, in an empty git repository and an empty home folder.
 * @param task made from the folder in which it works
 * @param input what it reads from standard input with its task; "": nothing
 */
export async function runClaudeCode(
  program: string,
  {
    baseUrl,
    rawKey,
    model,
    task,
    input = '',
  }: {
    baseUrl: string;
    rawKey: string;
    model: string;
    task: (folder: string) => string;
    input?: string;
  },
): Promise<ClaudeCodeRun> {
  const scratch = await mkdtemp(join(tmpdir(), 'gateway-claude-code-'));
  const [folder, home] = [join(scratch, 'work'), join(scratch, 'home')];
  await mkdir(folder);
  await mkdir(home);
  await runInstaller('git', ['init', '--quiet'], folder);
  const run = async (...args: readonly string[]): Promise<ClaudeCodeRun> => {
    const child = spawn(program, ['-p', ...args, '--allowedTools', 'Write', 'Edit', 'Bash'], {
      cwd: folder,
      env: {
        PATH: process.env.PATH,
        HOME: home,
        ANTHROPIC_BASE_URL: baseUrl,
        ANTHROPIC_AUTH_TOKEN: rawKey,
        ANTHROPIC_MODEL: model,
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
        // It runs commands as root only where it is told that nothing else is on the machine.
        IS_SANDBOX: '1',
      },
      stdio: ['pipe', 'pipe', 'pipe'],
      timeout: RUN_MS,
    });
    child.stdin.end(input);
    const [output, errors, [exitCode]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'exit'),
    ]);
    return {
      exitCode,
      output: `${output}${errors}`,
      folder,
      continueWith: (other, next) => run(next, '--continue', '--model', other),
      [Symbol.asyncDispose]: () => rm(scratch, { recursive: true, force: true }),
    };
  };
  return run(task(folder));
}
