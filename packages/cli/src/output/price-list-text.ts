import { z } from 'zod';
import { formatTable } from './format-table.ts';

const version = z.looseObject({
  number: z.int(),
  valid_from: z.string(),
  factor: z.string(),
  models: z.array(z.looseObject({ model: z.string(), factor: z.string().optional() })),
});
const listed = z.looseObject({
  id: z.string(),
  name: z.string(),
  is_default: z.boolean(),
  accounts: z.int(),
  version,
  created_at: z.string(),
});
const full = listed.extend({ version_in_force: z.int().nullable(), versions: z.array(version) });

type ListedPriceListJson = z.infer<typeof listed>;
export type PriceListJson = z.infer<typeof full>;

export function listedPriceListJson(text: string): ListedPriceListJson {
  return listed.parse(JSON.parse(text));
}

export function priceListJson(text: string): PriceListJson {
  return full.parse(JSON.parse(text));
}

export function priceListTable(
  rows: readonly ListedPriceListJson[],
  options?: { isContinued: boolean },
): string {
  return formatTable(
    ['ID', 'NAME', 'ACCOUNTS', 'LAST VERSION', 'VALID FROM', 'FACTOR', 'EXCEPTIONS'],
    rows.map((row) => [
      row.id,
      row.is_default ? `${row.name} (default)` : row.name,
      String(row.accounts),
      ...versionCells(row.version),
    ]),
    options,
  );
}

/** Returns the list, and its versions: the last added first. `*` marks the one in force. */
export function priceListText(list: PriceListJson): string {
  const head = formatTable(
    ['price list', list.id],
    [
      ['name', list.name],
      ['default', list.is_default ? 'yes' : 'no'],
      ['accounts', String(list.accounts)],
    ],
  );
  const versions = formatTable(
    ['VERSION', 'VALID FROM', 'FACTOR', 'EXCEPTIONS'],
    list.versions.map((each) => {
      const [number = '', ...cells] = versionCells(each);
      return [each.number === list.version_in_force ? `${number} *` : number, ...cells];
    }),
  );
  return `${head}\n${versions}`;
}

function versionCells({ factor, models, number, valid_from }: z.infer<typeof version>): string[] {
  const exceptions = models.map(({ factor: own, model }) => `${model}: ${own ?? 'fixed'}`);
  return [String(number), valid_from, factor, exceptions.join(', ') || '-'];
}
