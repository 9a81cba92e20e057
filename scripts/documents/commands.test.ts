import { describe, expect, it } from 'vitest';
import { commandNodes } from '../../packages/cli/src/completion/command-nodes.ts';
import { programOf } from '../../packages/cli/tests/program-of.ts';
import { pages, readPage } from './pages.ts';

const nodes = commandNodes(programOf());

/** The command lines of gatewayctl in the examples of a page, without the word itself. */
function commandsOf(page: string): string[] {
  const examples = [...page.matchAll(/^( *)```(?:sh|console)?\n(.*?)^\1```$/gms)].map(([, , text = '']) =>
    text.replaceAll(/\\\n\s*/g, ''),
  );
  const lines = examples.flatMap((text) => [
    ...text.matchAll(/\bgatewayctl (?:-- )?(?:--control-plane \S+ )?([a-z].*)/g),
  ]);
  // The rest of the line is for the shell, or for the reader.
  return lines.map(([, line = '']) => line.split(/ [|#>&<]| {2,}|[)"]$|[`;]/, 1)[0]?.trim() ?? '');
}

/** @returns what gatewayctl does not know; undefined: it knows the command and each of its options */
function unknownIn(line: string): string | undefined {
  const words = line.split(' ');
  const node = nodes.findLast(({ path }) => path !== '' && `${line} `.startsWith(`${path} `));
  if (node === undefined || node.commands.length > 0) return `gatewayctl ${line}: no such command`;
  const names = node.options.flatMap((option) => option.names);
  const wrong = words.filter(
    (word) => /^--?[a-z]/.test(word) && !names.includes(word.split('=', 1)[0] ?? ''),
  );
  return wrong.length === 0 ? undefined : `gatewayctl ${line}: no such option as ${wrong.join(', ')}`;
}

describe('the examples of the documents', () => {
  const commands = pages().flatMap((page) => commandsOf(readPage(page)));

  it('use only commands and options that gatewayctl has', () => {
    expect(commands.length).toBeGreaterThan(30);
    expect(commands.flatMap((line) => unknownIn(line) ?? [])).toEqual([]);
  });

  it('with an unknown command or option are found', () => {
    expect(
      ['keys make --name a', 'keys', 'keys create --nam a', 'keys create --name a'].map(unknownIn),
    ).toEqual([
      'gatewayctl keys make --name a: no such command',
      'gatewayctl keys: no such command',
      'gatewayctl keys create --nam a: no such option as --nam',
      undefined,
    ]);
  });
});

it('the Kubernetes README waits for a Job before it reads its log, and fails if a port is taken', () => {
  const readme = readPage('deploy/kubernetes/README.md');
  expect(readme.indexOf('wait job/apply-catalog')).toBeGreaterThan(0);
  expect(readme.indexOf('logs job/apply-catalog')).toBeGreaterThan(readme.indexOf('wait job/apply-catalog'));
  const forwards = [...readme.matchAll(/kubectl .*port-forward .*/g)].map(([line]) => line);
  expect(forwards.length).toBeGreaterThan(0);
  for (const line of forwards) expect(line).toContain('--address 127.0.0.1');
});
