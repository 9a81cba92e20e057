/** Marks a removal, and names the migration since which releases do without the removed part. */
const MARKER = /^-- contracts: needs (\S+)$/m;

const CONTRACTING: readonly [what: string, statement: RegExp][] = [
  ['drops a table', /\bDROP\s+(TABLE|VIEW|TYPE|SCHEMA|SEQUENCE)\b/i],
  [
    'drops a column',
    /\bDROP\s+COLUMN\b|\bALTER\s+TABLE\b[^;]*\bDROP\s+(?!COLUMN|CONSTRAINT|DEFAULT|NOT|IDENTITY|EXPRESSION)"?\w/i,
  ],
  ['drops a function', /\bDROP\s+FUNCTION\b/i],
  ['changes a type', /\bALTER\s+COLUMN\s+\S+\s+(SET\s+DATA\s+)?TYPE\b/i],
  ['takes away NULL', /\bSET\s+NOT\s+NULL\b/i],
  ['takes away a default', /\bDROP\s+DEFAULT\b/i],
  [
    'adds a column that the previous release cannot fill',
    /\bADD\s+COLUMN\b(?![^,;]*\bDEFAULT\b)[^,;]*\bNOT\s+NULL\b/i,
  ],
];
const CONCURRENTLY = /\bINDEX\s+CONCURRENTLY\b/i;

/**
 * Returns what the previous release could not work with, or what would lock a large table. Ignores tables
 * created by the migration.
 */
export function migrationProblems(sql: string): string[] {
  const code = sql.replace(/--.*$/gm, '').replace(/\$(\w*)\$[\s\S]*?\$\1\$/g, "''");
  const statements = code
    .split(';')
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '');
  const created = new Set([...code.matchAll(/\bCREATE\s+TABLE\s+"?(\w+)"?/gi)].map(([, table]) => table));
  const problems: string[] = [];
  const marker = MARKER.exec(sql)?.[1];
  for (const [what, pattern] of CONTRACTING) {
    if (marker === undefined && statements.some((statement) => pattern.test(statement))) problems.push(what);
  }
  if (marker !== undefined && !code.includes(`needs_migration = '${marker}'`)) {
    problems.push(`does not write down that it needs ${marker}`);
  }
  for (const statement of statements) {
    const table = /\bCREATE\s+(?:UNIQUE\s+)?INDEX\s+(?!CONCURRENTLY)\S+\s+ON\s+"?(\w+)"?/i.exec(
      statement,
    )?.[1];
    if (table !== undefined && !created.has(table)) problems.push(`builds an index on ${table} under a lock`);
    if (marker === undefined && renames(statement, created)) problems.push('renames');
  }
  if (CONCURRENTLY.test(code) && statements.length > 1)
    problems.push('does more than its one concurrent index');
  return problems;
}

/** Returns true for a rename the previous release notices: not of an index, nor of a table replaced here. */
function renames(statement: string, created: ReadonlySet<string | undefined>): boolean {
  if (!/\bRENAME\b/i.test(statement) || /^ALTER\s+INDEX\b/i.test(statement)) return false;
  const table = /^ALTER\s+TABLE\s+"?(\w+)"?\s+RENAME\s+TO\b/i.exec(statement)?.[1];
  return table === undefined || !created.has(table);
}
