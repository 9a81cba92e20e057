import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { commandNodes } from '../src/completion/command-nodes.ts';
import { runWith } from './gatewayctl-fixture.ts';
import { programOf } from './program-of.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'completion-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function scriptFor(shell: string): Promise<string> {
  const { code, out, err } = await runWith({}, ['completion', shell]);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  const path = join(folder, `completion.${shell}`);
  writeFileSync(path, out);
  return path;
}

function isInstalled(shell: string): boolean {
  try {
    execFileSync(shell, ['-c', 'true']);
    return true;
  } catch {
    return false;
  }
}

function run(shell: string, args: string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(shell, args, { cwd: folder }, (error, out, err) => {
      if (error === null && err === '') resolve(out);
      else reject(new Error(`${shell}: ${err}`, { cause: error }));
    });
  });
}

/** Returns what bash offers for the last word of each line. */
async function offeredByBash(lines: readonly (readonly string[])[]): Promise<string[][]> {
  const script = await scriptFor('bash');
  const asked = lines.map((words) => {
    const quoted = ['gatewayctl', ...words].map((word) => `'${word}'`).join(' ');
    return `COMP_WORDS=(${quoted}); COMP_CWORD=${words.length}; _gatewayctl; echo "\${COMPREPLY[*]}"`;
  });
  const out = await run('bash', ['--norc', '-c', `source ${script}\n${asked.join('\n')}`]);
  return out.split('\n').map((line) => line.split(' ').filter((word) => word !== ''));
}

describe.skipIf(!isInstalled('bash'))('completion in bash', () => {
  it('offers every command and every option of every command', async () => {
    const all = commandNodes(programOf());
    const words = (path: string) => path.split(' ').filter((word) => word !== '');
    const commands = await offeredByBash(all.map(({ path }) => [...words(path), '']));
    const options = await offeredByBash(all.map(({ path }) => [...words(path), '-']));
    for (const [index, node] of all.entries()) {
      expect(commands[index]).toEqual([...node.commands.map(({ name }) => name), ...node.argumentValues]);
      expect(options[index]).toEqual(node.options.flatMap(({ names }) => names));
    }
    expect(all.length).toBeGreaterThan(30);
  });

  it('completes what has been begun, behind options and their values', async () => {
    writeFileSync(join(folder, 'catalog.yaml'), '');
    const cases: [string[], string[]][] = [
      [['ke'], ['keys']],
      [['--json', 'keys', 'cr'], ['create']],
      [['--admin-token', 'keys', 'ca'], ['catalog']],
      [['keys', 'create', '--name', 'list', '--se'], ['--seat']],
      [['keys', 'create', '--name', ''], []],
      [
        ['pools', 'add', '--resets', ''],
        ['monthly', 'never'],
      ],
      [['pools', 'add', '--resets', '=', 'mo'], ['monthly']],
      [['catalog', 'apply', '-f', 'cata'], ['catalog.yaml']],
      [['completion', 'z'], ['zsh']],
    ];
    const offered = await offeredByBash(cases.map(([words]) => words));
    expect(cases.map(([words], index) => [words, offered[index]])).toEqual(cases);
  });
});

/** Replaces the functions with which zsh completes: these print their arguments. */
const ZSH_PRINTS = `
compdef() { :; }
_describe() { local name=\${@[-1]}; print -r -- \${(P)name%%:*}; }
compadd() { [[ $1 == -a ]] && print -r -- \${(P)2} || print -r -- $@; }
_files() { print -r -- files $@; }
`;

describe.skipIf(!isInstalled('zsh'))('completion in zsh', () => {
  it('offers the commands, options and values of the place that has been reached', async () => {
    const script = await scriptFor('zsh');
    const offered = async (...line: string[]) => {
      const words = ['gatewayctl', ...line].map((word) => `'${word}'`).join(' ');
      const asked = `words=(${words}); CURRENT=${line.length + 1}; PREFIX='${line.at(-1)}'; _gatewayctl`;
      const out = await run('zsh', ['-f', '-c', `${ZSH_PRINTS}\nsource ${script}\n${asked}`]);
      return out.trim().split(/\s+/);
    };
    expect(await offered('--admin-token', 'keys', 'catalog', '')).toContain('apply');
    expect(await offered('keys', 'create', '-')).toContain('--seat');
    expect(await offered('pools', 'add', '--resets', '')).toEqual(['monthly', 'never']);
    expect(await offered('catalog', 'apply', '-f', '')).toEqual(['files']);
    expect(await offered('completion', '')).toEqual(['bash', 'zsh', 'fish']);
  });
});

describe.skipIf(!isInstalled('fish'))('completion in fish', () => {
  it('offers the commands and options of the place that has been reached', async () => {
    const script = await scriptFor('fish');
    const offered = async (line: string) =>
      (await run('fish', ['--no-config', '-c', `source ${script}; complete -C '${line}'`]))
        .split('\n')
        .map((each) => each.split('\t')[0]);
    expect(await offered('gatewayctl --admin-token keys catalog ap')).toContain('apply');
    expect(await offered('gatewayctl pools add --resets ')).toEqual(['monthly', 'never', '']);
    expect(await offered('gatewayctl keys create --se')).toEqual(['--seat', '']);
  });
});

describe('gatewayctl completion', () => {
  it('knows three shells and asks no control plane', async () => {
    for (const shell of ['bash', 'zsh', 'fish']) expect(await scriptFor(shell)).toBeTruthy();
    expect(await runWith({}, ['completion', 'tcsh'])).toMatchObject({ code: 2, out: '' });
    const { out } = await runWith({}, ['completion', 'bash', '--json']);
    expect(JSON.parse(out)).toEqual({ shell: 'bash', script: expect.stringContaining('complete -F') });
  });
});
