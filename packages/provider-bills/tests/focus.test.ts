import { readFile } from 'node:fs/promises';
import { escapeFormula, parseDecimal, roundTo } from '@model-gateway/shared';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from 'hyparquet';
import { describe, expect, it } from 'vitest';
import {
  FOCUS_COLUMNS,
  type FocusOptions,
  type FocusUsage,
  focusRow,
  writeFocusCsv,
  writeFocusParquet,
} from '../src/index.ts';
import { filePath } from './bill-file.ts';

const HOUR_MS = 3_600_000;
const START_MS = Date.UTC(2026, 11, 31, 23);
const OPTIONS: FocusOptions = {
  view: 'charge',
  operator: 'Example Gateway Ltd',
  billingAccount: { id: 'org_1', name: 'Example' },
};
const USAGE: FocusUsage = {
  startTimeMs: START_MS,
  endTimeMs: START_MS + HOUR_MS,
  account: { id: 'acc_1', name: 'Ünï "quoted", Inc.' },
  key: { id: 'key_1', name: 'production' },
  model: { id: 'openai/gpt-4o', name: 'GPT-4o' },
  provider: 'OpenAI',
  region: null,
  serviceTier: 'flex',
  usage: { unit: 'inputTokens', quantity: 1_234_567n, unitPriceUsd: '2.500000001' },
  billedNanoUsd: 3_086_418_735n,
  tags: { team: 'search', env: 'prod' },
};

/** The columns that FOCUS 1.2 calls mandatory, and whether they may be null. */
const MANDATORY: Readonly<Record<string, boolean>> = {
  BilledCost: false,
  BillingAccountId: false,
  BillingAccountName: true,
  BillingCurrency: false,
  BillingPeriodEnd: false,
  BillingPeriodStart: false,
  ChargeCategory: false,
  ChargeClass: true,
  ChargeDescription: true,
  ChargePeriodEnd: false,
  ChargePeriodStart: false,
  ContractedCost: false,
  EffectiveCost: false,
  InvoiceIssuerName: false,
  ListCost: false,
  PricingQuantity: true,
  PricingUnit: true,
  ProviderName: false,
  PublisherName: false,
  ServiceCategory: false,
  ServiceName: false,
};
/** Further columns for a provider with price lists, regions, sub accounts, tags and metered usage. */
const CONDITIONAL = [
  ...['ConsumedQuantity', 'ConsumedUnit', 'ContractedUnitPrice', 'ListUnitPrice', 'PricingCategory'],
  ...['RegionId', 'RegionName', 'ResourceId', 'ResourceName', 'ResourceType', 'SkuId', 'SkuMeter'],
  ...['CommitmentDiscountStatus', 'PricingCurrency', 'PricingCurrencyContractedUnitPrice'],
  ...['PricingCurrencyEffectiveCost', 'PricingCurrencyListUnitPrice'],
  ...['SkuPriceDetails', 'SkuPriceId', 'SubAccountId', 'SubAccountName', 'Tags'],
];
const RECOMMENDED = ['ChargeFrequency', 'InvoiceId', 'ServiceSubcategory'];
/** Columns that rows of the category Usage must have. */
const OF_USAGE = [
  ...['ConsumedQuantity', 'PricingQuantity', 'PricingCategory', 'ListUnitPrice', 'ContractedUnitPrice'],
  ...[
    'PricingCurrencyListUnitPrice',
    'PricingCurrencyContractedUnitPrice',
    'SkuId',
    'SkuPriceId',
    'SkuMeter',
  ],
];
const DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;
const NUMBER = /^-?\d+(\.\d+)?$/;
const UNIT = /^(\d+ )?[A-Z][A-Za-z]*s$/;

async function csvRows(usage: readonly FocusUsage[], options = OPTIONS): Promise<Record<string, string>[]> {
  const path = await filePath('focus.csv');
  await writeFocusCsv(path, usage, options);
  return parse<Record<string, string>>(await readFile(path), { columns: true });
}

/** Reads decimals as their bytes, because the library would convert them to floats. */
async function parquetRows(usage: readonly FocusUsage[]) {
  const path = await filePath('focus.parquet');
  await writeFocusParquet(path, usage, OPTIONS);
  const file = await asyncBufferFromFile(path);
  const metadata = await parquetMetadataAsync(file);
  for (const element of metadata.schema)
    if (element.converted_type === 'DECIMAL') delete element.converted_type;
  return parquetReadObjects({ file, metadata });
}

const someUsage: fc.Arbitrary<FocusUsage> = fc.record({
  startTimeMs: fc.integer({ min: 0, max: 50_000 }).map((hour) => START_MS + hour * HOUR_MS),
  endTimeMs: fc.constant(START_MS + 60_000 * HOUR_MS),
  account: fc.record({ id: fc.string({ minLength: 1 }), name: fc.option(fc.string({ minLength: 1 })) }),
  key: fc.option(
    fc.record({ id: fc.string({ minLength: 1 }), name: fc.option(fc.string({ minLength: 1 })) }),
  ),
  model: fc.record({ id: fc.constant('m'), name: fc.option(fc.constantFrom('m', 'Model')) }),
  provider: fc.constantFrom('OpenAI', 'Anthropic'),
  region: fc.option(fc.constantFrom('us-east-1')),
  serviceTier: fc.option(fc.constantFrom('flex', 'priority')),
  usage: fc.option(
    fc.record({
      unit: fc.constantFrom('inputTokens', 'audioMs', 'images', 'webSearchRequests', 'characters'),
      quantity: fc.bigInt(1n, 10n ** 14n),
      unitPriceUsd: fc
        .bigInt(0n, 10n ** 12n)
        .map((nano) => `${nano / 10n ** 9n}.${String(nano % 10n ** 9n).padStart(9, '0')}`),
    }),
  ),
  billedNanoUsd: fc.bigInt(0n, 10n ** 17n),
  tags: fc.dictionary(fc.string({ minLength: 1 }), fc.string()),
});

const someUsages = fc.array(someUsage, { minLength: 1, maxLength: 20 });

describe('a FOCUS file', () => {
  it('has every mandatory, conditional and recommended column that applies, and marks its own', () => {
    const names = Object.keys(FOCUS_COLUMNS);
    expect(names).toEqual(
      expect.arrayContaining([...Object.keys(MANDATORY), ...CONDITIONAL, ...RECOMMENDED]),
    );
    const own = names.filter(
      (name) => ![...Object.keys(MANDATORY), ...CONDITIONAL, ...RECOMMENDED].includes(name),
    );
    expect(own.every((name) => name.startsWith('x_'))).toBe(true);
    // Own columns come last.
    expect(names.slice(-own.length)).toEqual(own);
  });

  it('has the values of a row, computed by hand', async () => {
    expect(await csvRows([USAGE], { ...OPTIONS, view: 'cost' })).toEqual([
      {
        BilledCost: '3.086418735',
        BillingAccountId: 'org_1',
        BillingAccountName: 'Example',
        BillingCurrency: 'USD',
        BillingPeriodEnd: '2027-01-01T00:00:00Z',
        BillingPeriodStart: '2026-12-01T00:00:00Z',
        ChargeCategory: 'Usage',
        ChargeClass: '',
        ChargeDescription: 'Input of GPT-4o at 2.500000001 USD per 1000000 Tokens',
        ChargeFrequency: 'Usage-Based',
        ChargePeriodEnd: '2027-01-01T00:00:00Z',
        ChargePeriodStart: '2026-12-31T23:00:00Z',
        CommitmentDiscountStatus: '',
        ConsumedQuantity: '1234567',
        ConsumedUnit: 'Tokens',
        // 1.234567 × 2.500000001
        ContractedCost: '3.086417501234567',
        ContractedUnitPrice: '2.500000001',
        EffectiveCost: '3.086418735',
        InvoiceId: '',
        InvoiceIssuerName: 'OpenAI',
        ListCost: '3.086417501234567',
        ListUnitPrice: '2.500000001',
        PricingCategory: 'Standard',
        PricingCurrency: 'USD',
        PricingCurrencyContractedUnitPrice: '2.500000001',
        PricingCurrencyEffectiveCost: '3.086418735',
        PricingCurrencyListUnitPrice: '2.500000001',
        PricingQuantity: '1.234567',
        PricingUnit: '1000000 Tokens',
        ProviderName: 'OpenAI',
        PublisherName: 'OpenAI',
        RegionId: '',
        RegionName: '',
        ResourceId: 'openai/gpt-4o',
        ResourceName: 'GPT-4o',
        ResourceType: 'Model',
        ServiceCategory: 'AI and Machine Learning',
        ServiceName: 'Model inference',
        ServiceSubcategory: 'Generative AI',
        SkuId: 'openai/gpt-4o/input_tokens',
        SkuMeter: 'Input',
        SkuPriceDetails: '{"x_ServiceTier":"flex"}',
        SkuPriceId: 'openai/gpt-4o/input_tokens/flex',
        SubAccountId: 'acc_1',
        SubAccountName: 'Ünï "quoted", Inc.',
        Tags: '{"team":"search","env":"prod"}',
        x_KeyId: 'key_1',
        x_KeyName: 'production',
        x_ServiceTier: 'flex',
      },
    ]);
  });

  it('of charges has no price or cost of the catalog', async () => {
    const [row] = await csvRows([USAGE]);
    // 3.086418735 / 1.234567
    const price = '2.50000100035073';
    expect(row).toMatchObject({
      ...{ BilledCost: '3.086418735', ContractedCost: '3.086418735', EffectiveCost: '3.086418735' },
      ...{ ListCost: '3.086418735', ListUnitPrice: price, ContractedUnitPrice: price },
      ...{ PricingCurrencyListUnitPrice: price, PricingCurrencyContractedUnitPrice: price },
      ChargeDescription: `Input of GPT-4o at ${price} USD per 1000000 Tokens`,
    });
    const text = JSON.stringify(row);
    expect([text.includes('2.500000001'), text.includes('3.0864175')]).toEqual([false, false]);
  });

  it('has money without units as an adjustment, and no name that is a formula', async () => {
    const account = { id: 'acc_1', name: '=HYPERLINK("http://x")' };
    const key = { id: 'key_1', name: '@SUM(A1)' };
    expect(await csvRows([{ ...USAGE, usage: null, account, key }])).toMatchObject([
      {
        ...{ BilledCost: '3.086418735', ListCost: '3.086418735', ChargeCategory: 'Adjustment', SkuId: '' },
        ...{ ConsumedQuantity: '', PricingQuantity: '', PricingUnit: '', ListUnitPrice: '' },
        SubAccountName: `'${account.name}`,
        x_KeyName: `'${key.name}`,
      },
    ]);
  });

  it('names who bills whom in each view', () => {
    const names = ({ view }: Pick<FocusOptions, 'view'>) => {
      const { InvoiceIssuerName, ProviderName, PublisherName } = focusRow(USAGE, { ...OPTIONS, view });
      return [InvoiceIssuerName, ProviderName, PublisherName];
    };
    expect(names({ view: 'cost' })).toEqual(['OpenAI', 'OpenAI', 'OpenAI']);
    expect(names({ view: 'charge' })).toEqual(['Example Gateway Ltd', 'Example Gateway Ltd', 'OpenAI']);
  });

  it('follows the rules of the specification for any usage', async () => {
    await fc.assert(
      fc.asyncProperty(someUsages, fc.constantFrom('cost', 'charge'), async (usage, view) => {
        for (const row of await csvRows(usage, { ...OPTIONS, view })) {
          const get = (name: string) => row[name] ?? '';
          for (const [name, { isNullable, type }] of Object.entries(FOCUS_COLUMNS)) {
            const text = get(name);
            if (text === '') expect([name, isNullable]).toEqual([name, true]);
            else if (type === 'decimal') expect(text).toMatch(NUMBER);
            else if (type === 'time') expect(text).toMatch(DATE_TIME);
            else if (type === 'json')
              expect(Object.values(JSON.parse(text)).every((value) => typeof value === 'string')).toBe(true);
          }
          for (const [name, isNullable] of Object.entries(MANDATORY))
            if (!isNullable) expect(get(name)).not.toBe('');
          expect(get('BillingCurrency')).toMatch(/^[A-Z]{3}$/);
          const isUsage = get('ChargeCategory') === 'Usage';
          for (const name of ['PricingUnit', 'ConsumedUnit'])
            expect(get(name)).toMatch(isUsage ? UNIT : /^$/);
          for (const name of OF_USAGE) expect([name, get(name) !== '']).toEqual([name, isUsage]);
          // A name is null without its id, and never repeats it.
          if (get('RegionId') === '') expect(get('RegionName')).toBe('');
          expect(get('ResourceName')).not.toBe(get('ResourceId'));
          expect(get('SkuPriceId').startsWith(get('SkuId'))).toBe(true);
          expect(
            get('BillingPeriodStart') <= get('ChargePeriodStart') &&
              get('ChargePeriodStart') < get('BillingPeriodEnd'),
          ).toBe(true);
          if (!isUsage || view === 'charge') expect(get('ListCost')).toBe(get('BilledCost'));
          if (!isUsage) continue;
          // The list cost is the price times the quantity: exactly, or as the price is rounded.
          const [cost = 0n, price = 0n, quantity = 0n] = ['ListCost', 'ListUnitPrice', 'PricingQuantity'].map(
            (name) => exactly(get(name)),
          );
          const difference = cost * 10n ** 15n - price * quantity;
          const most = view === 'cost' ? 0n : quantity / 2n;
          expect(difference <= most && difference >= -most).toBe(true);
        }
      }),
      { numRuns: 20 },
    );
  });

  it('in Parquet is the same as in CSV, with exact decimals', async () => {
    await fc.assert(
      fc.asyncProperty(someUsages, async (usage) => {
        const rows = await parquetRows(usage);
        const expected = await csvRows(usage);
        expect(rows).toHaveLength(usage.length);
        for (const [index, row] of rows.entries()) {
          for (const [name, { type }] of Object.entries(FOCUS_COLUMNS)) {
            const [value, text] = [row[name], expected[index]?.[name] ?? ''];
            if (type === 'decimal' && text !== '')
              expect(BigInt(`0x${Buffer.from(value).toString('hex')}`)).toBe(exactly(text));
            else if (type === 'time') expect(value).toEqual(new Date(text));
            else expect(escapeFormula(value ?? '')).toBe(text);
          }
        }
      }),
      { numRuns: 10 },
    );
  });
});

/** The number in units of 10^-15. */
function exactly(text: string): bigint {
  const parsed = parseDecimal(text);
  return parsed === undefined ? -1n : roundTo(parsed, 15);
}
