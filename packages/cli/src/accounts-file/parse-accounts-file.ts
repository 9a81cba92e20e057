import { parseUsd } from '@model-gateway/shared';
import { CsvError } from 'csv-parse';
import { parse } from 'csv-parse/sync';
import { z } from 'zod';
import { CommandFailure } from '../command-failure.ts';

/** An account to create, and the pool that it gets. */
export interface AccountRow {
  email: string;
  name: string;
  pool: { usd: string; resets: 'monthly' | 'never' } | undefined;
}

const COLUMNS = ['email', 'name', 'pool_usd', 'resets'];

const csvRow = z
  .strictObject({
    email: z.string().toLowerCase().pipe(z.email('email: expected an e-mail address')),
    name: z.string().max(200, 'name: at most 200 characters').default(''),
    pool_usd: z
      .string()
      .refine((usd) => usd === '' || parseUsd(usd), 'pool_usd: expected US dollars above 0 such as 5.00')
      .default(''),
    resets: z.enum(['', 'monthly', 'never'], 'resets: expected monthly or never').default(''),
  })
  .refine(({ pool_usd, resets }) => resets === '' || pool_usd !== '', 'resets: needs an amount in pool_usd');

const csvRecords = z.array(
  z.object({
    record: z.record(z.string(), z.string()),
    info: z.object({ lines: z.number(), error: z.unknown() }),
  }),
);

/**
 * Parses a CSV file with the columns email and name, and perhaps pool_usd and resets.
 * @throws CommandFailure with a line for every bad row
 */
export function parseAccountsFile(text: string, file: string): AccountRow[] {
  const problems: string[] = [];
  const rows: AccountRow[] = [];
  const lineOf = new Map<string, number>();
  for (const { record, info } of readCsv(text, file)) {
    const result = csvRow.safeParse(record);
    const email = result.data?.email ?? '';
    const earlier = lineOf.get(email);
    const wrong =
      info.error === undefined
        ? (result.error?.issues.map(({ message }) => message) ??
          (earlier === undefined ? [] : [`email: ${email} is in line ${earlier}, too`]))
        : ['expected as many values as there are columns'];
    problems.push(...wrong.map((problem) => `${file}, line ${info.lines}: ${problem}`));
    if (result.data === undefined) continue;
    lineOf.set(email, earlier ?? info.lines);
    const { name, pool_usd: usd, resets } = result.data;
    rows.push({ email, name, pool: usd === '' ? undefined : { usd, resets: resets || 'never' } });
  }
  if (problems.length > 0) throw invalid([...problems, 'nothing was imported']);
  if (rows.length === 0) throw invalid([`${file}: no rows below the heading`]);
  return rows;
}

function readCsv(text: string, file: string): z.infer<typeof csvRecords> {
  try {
    const records: unknown = parse(text, {
      bom: true,
      columns: (heading: string[]) => checkHeading(heading, file),
      info: true,
      relax_column_count: true,
      skip_empty_lines: true,
      trim: true,
    });
    return csvRecords.parse(records);
  } catch (error) {
    if (error instanceof CsvError) throw invalid([`${file}: ${error.message}`, 'nothing was imported']);
    throw error;
  }
}

function checkHeading(heading: string[], file: string): string[] {
  const names = heading.map((name) => name.toLowerCase());
  const unknown = names.find((name) => !COLUMNS.includes(name));
  if (names.includes('email') && unknown === undefined) return names;
  const problem =
    unknown === undefined ? 'there is no column email' : `there is no column "${unknown}" to import`;
  throw invalid([`${file}, line 1: ${problem}; the first line names the columns: ${COLUMNS.join(',')}`]);
}

function invalid(lines: readonly string[]): CommandFailure {
  return new CommandFailure(lines, { code: 'invalid_file' });
}
