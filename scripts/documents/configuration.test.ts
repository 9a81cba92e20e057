import { expect, it } from 'vitest';
import { markdownTable } from './markdown-table.ts';
import { readPage } from './pages.ts';

const BETWEEN = /(?<=<!-- settings: .+ -->\n\n).*?(?=<!-- end of settings -->)/s;

it('the settings in docs/configuration.md are those of .env.example (-u writes them)', async () => {
  const page = readPage('docs/configuration.md');
  expect(page).toMatch(BETWEEN);
  const tables = settingsTables(readPage('.env.example'));
  await expect(page.replace(BETWEEN, () => `${tables}\n\n`)).toMatchFileSnapshot(
    '../../docs/configuration.md',
  );
});

interface Setting {
  names: string[];
  /** The effect of the setting. */
  what: string;
  readers: string;
  byDefault: string;
}

/**
 * The settings of `.env.example` as tables in Markdown, one for each of its groups.
 * @param example the content of `.env.example`: comments that end with `; readers. Default: value.`, each
 *   before the settings that it describes
 */
function settingsTables(example: string): string {
  const [, ...parts] = example.split(/^# --- (.+) ---$/m);
  const groups: string[] = [];
  for (let index = 0; index + 1 < parts.length; index += 2)
    groups.push(`### Settings of ${parts[index]}\n\n${table(settingsOf(parts[index + 1] ?? ''))}`);
  return groups.join('\n\n');
}

function settingsOf(group: string): Setting[] {
  const settings: Setting[] = [];
  let comment: string[] = [];
  for (const line of group.split('\n')) {
    const [, name] = /^([A-Z][A-Z0-9_]*)=/.exec(line) ?? [];
    if (line.startsWith('# ')) comment.push(line.slice(2));
    else if (name !== undefined && comment.length === 0) settings.at(-1)?.names.push(name);
    else if (name !== undefined) {
      settings.push({ names: [name], ...read(comment, settings.at(-1)?.readers) });
      comment = [];
    }
  }
  return settings;
}

/**
 * Reads a comment. Its first line says who reads the setting, and its default; the other lines say only what
 * it does. If the first line says neither, it continues the previous setting.
 */
function read([first = '', ...others]: readonly string[], readersBefore = ''): Omit<Setting, 'names'> {
  const [, what, readers = readersBefore, byDefault = '–'] =
    /^(.+?)(?:; ([^;]+))?\. Default: (.+)\.$/.exec(first) ?? [];
  return { what: [what === undefined ? first : `${what}.`, ...others].join(' '), readers, byDefault };
}

function table(settings: readonly Setting[]): string {
  return markdownTable([
    ['setting', 'what it does', 'who reads it', 'default'],
    ...settings.map(({ names, what, readers, byDefault }) => [
      names.map((name) => `\`${name}\``).join(', '),
      what,
      readers,
      byDefault,
    ]),
  ]);
}
