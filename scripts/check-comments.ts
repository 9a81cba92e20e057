// Refuses comment lines that are wider than 110 columns: part of `npm run lint`.
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const MAX_COLUMNS = 110;
const COMMENT = /^\s*(?:\/\/|\/?\*|--\s)/;
const FILES = '{bench,deploy,packages,prisma,proto,scripts,services}/**/*.{ts,tsx,mjs,lua,prisma,proto,sql}';

/** Returns a line for each comment line of a file that is too wide. */
export function wideComments(path: string, text: string): string[] {
  return text
    .split('\n')
    .flatMap((line, index) =>
      COMMENT.test(line) && line.length > MAX_COLUMNS
        ? [`${path}:${index + 1}: ${line.length} columns, at most ${MAX_COLUMNS} in comments`]
        : [],
    );
}

if (import.meta.main) {
  const root = fileURLToPath(new URL('..', import.meta.url));
  const paths = globSync(FILES, { cwd: root, exclude: (path) => /node_modules|generated|dist$/.test(path) });
  const wide = paths.flatMap((path) => wideComments(path, readFileSync(`${root}${path}`, 'utf8')));
  for (const line of wide) process.stdout.write(`${line}\n`);
  process.exitCode = wide.length === 0 ? 0 : 1;
}
