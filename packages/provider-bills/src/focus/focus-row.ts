import {
  type Decimal,
  formatDecimal,
  parseDecimal,
  UNITS,
  type Unit,
  type UnitRule,
} from '@model-gateway/shared';
import { BillError } from '../bill-error.ts';
import type { FOCUS_COLUMNS, FocusColumnName } from './focus-columns.ts';

/**
 * Usage of one unit by one key in one hour or day. Each token is in one row (`disjointUnits`), so rows can be
 * added up.
 */
export interface FocusUsage {
  startTimeMs: number;
  /** Exclusive. */
  endTimeMs: number;
  account: { id: string; name: string | null };
  key: { id: string; name: string | null } | null;
  model: { id: string; name: string | null };
  /** The name of the company that runs the model. */
  provider: string;
  /** The region of the provider, if it has one. */
  region: string | null;
  serviceTier: string | null;
  /** Null: money without units, of attempts whose answers were not used. */
  usage: UnitUsage | null;
  /** What the provider charges us, or what the account is charged: that of `FocusOptions.view`. */
  billedNanoUsd: bigint;
  tags: Readonly<Record<string, string>>;
}

interface UnitUsage {
  unit: Unit;
  /** Not zero. */
  quantity: bigint;
  /**
   * US dollars for as many units as the catalog's price has, as decimal text; "0" if it is free. The view of
   * charges does not show it: there, the price is the charge by the quantity.
   */
  unitPriceUsd: string;
}

export interface FocusOptions {
  /** `cost`: providers bill the operator. `charge`: the operator bills its accounts. */
  view: 'cost' | 'charge';
  /** The company that runs the gateway. */
  operator: string;
  billingAccount: { id: string; name: string | null };
}

interface Values {
  string: string;
  decimal: Decimal;
  time: Date;
  json: string;
}
type Columns = typeof FOCUS_COLUMNS;
export type FocusRow = {
  [Name in FocusColumnName]:
    | Values[Columns[Name]['type']]
    | (Columns[Name]['isNullable'] extends true ? null : never);
};

const NANO_SCALE = 9;
/** Decimals of Parquet: a price of nine decimals times millionths of a quantity fits without rounding. */
export const FOCUS_SCALE = 15;

/** Makes the row of some usage. List and contracted prices are equal. */
export function focusRow(row: FocusUsage, { billingAccount, operator, view }: FocusOptions): FocusRow {
  const { account, key, model, provider, region, tags } = row;
  const billed: Decimal = { digits: row.billedNanoUsd, scale: NANO_SCALE };
  const issuer = view === 'cost' ? provider : operator;
  const [periodStart, periodEnd] = monthOf(row.startTimeMs);
  return {
    BilledCost: billed,
    BillingAccountId: billingAccount.id,
    BillingAccountName: billingAccount.name,
    BillingCurrency: 'USD',
    BillingPeriodEnd: periodEnd,
    BillingPeriodStart: periodStart,
    ChargeClass: null,
    ChargeFrequency: 'Usage-Based',
    ChargePeriodEnd: new Date(row.endTimeMs),
    ChargePeriodStart: new Date(row.startTimeMs),
    CommitmentDiscountStatus: null,
    EffectiveCost: billed,
    InvoiceId: null,
    InvoiceIssuerName: issuer,
    PricingCurrency: 'USD',
    PricingCurrencyEffectiveCost: billed,
    ProviderName: issuer,
    PublisherName: provider,
    RegionId: region,
    RegionName: region,
    ResourceId: model.id,
    // FOCUS does not allow a name that repeats the id.
    ResourceName: model.name === model.id ? null : model.name,
    ResourceType: 'Model',
    ServiceCategory: 'AI and Machine Learning',
    ServiceName: 'Model inference',
    ServiceSubcategory: 'Generative AI',
    SubAccountId: account.id,
    SubAccountName: account.name ?? account.id,
    Tags: Object.keys(tags).length === 0 ? null : JSON.stringify(tags),
    ...(row.usage === null ? withoutUnits(row, billed) : ofUnits(row, row.usage, { billed, view })),
    x_KeyId: key?.id ?? null,
    x_KeyName: key?.name ?? null,
    x_ServiceTier: row.serviceTier,
  };
}

type UnitColumns = Pick<
  FocusRow,
  | 'ChargeCategory'
  | 'ChargeDescription'
  | 'ConsumedQuantity'
  | 'ConsumedUnit'
  | 'ContractedCost'
  | 'ContractedUnitPrice'
  | 'ListCost'
  | 'ListUnitPrice'
  | 'PricingCategory'
  | 'PricingCurrencyContractedUnitPrice'
  | 'PricingCurrencyListUnitPrice'
  | 'PricingQuantity'
  | 'PricingUnit'
  | 'SkuId'
  | 'SkuMeter'
  | 'SkuPriceDetails'
  | 'SkuPriceId'
>;

function ofUnits(
  { model, serviceTier }: FocusUsage,
  { quantity, unit, unitPriceUsd }: UnitUsage,
  { billed, view }: { billed: Decimal; view: FocusOptions['view'] },
): UnitColumns {
  const rule = ruleOf(unit);
  const noun = nounOf(rule);
  const priced = divideByPower(quantity, rule.price.per);
  const price = view === 'cost' ? parseDecimal(unitPriceUsd) : quotient(billed, priced);
  if (price === undefined) throw new BillError(`"${unitPriceUsd}" is not a price`);
  const listed: Decimal =
    view === 'cost' ? { digits: price.digits * priced.digits, scale: price.scale + priced.scale } : billed;
  const sku = `${model.id}/${rule.json}`;
  const pricingUnit = rule.price.per === MILLION ? `${MILLION} ${noun}` : noun;
  return {
    ChargeCategory: 'Usage',
    ChargeDescription: `${rule.title} of ${model.name ?? model.id} at ${formatDecimal(price)} USD per ${pricingUnit}`,
    ConsumedQuantity: divideByPower(quantity, rule.shownPer),
    ConsumedUnit: noun,
    ContractedCost: listed,
    ContractedUnitPrice: price,
    ListCost: listed,
    ListUnitPrice: price,
    PricingCategory: 'Standard',
    PricingCurrencyContractedUnitPrice: price,
    PricingCurrencyListUnitPrice: price,
    PricingQuantity: priced,
    PricingUnit: pricingUnit,
    SkuId: sku,
    SkuMeter: rule.title,
    SkuPriceDetails: serviceTier === null ? null : JSON.stringify({ x_ServiceTier: serviceTier }),
    SkuPriceId: serviceTier === null ? sku : `${sku}/${serviceTier}`,
  };
}

/** Only rows of the category Usage must have a quantity, a price and an SKU. */
function withoutUnits({ model }: FocusUsage, billed: Decimal): UnitColumns {
  return {
    ChargeCategory: 'Adjustment',
    ChargeDescription: `Attempts of ${model.name ?? model.id} whose answers were not used`,
    ConsumedQuantity: null,
    ConsumedUnit: null,
    ContractedCost: billed,
    ContractedUnitPrice: null,
    ListCost: billed,
    ListUnitPrice: null,
    PricingCategory: null,
    PricingCurrencyContractedUnitPrice: null,
    PricingCurrencyListUnitPrice: null,
    PricingQuantity: null,
    PricingUnit: null,
    SkuId: null,
    SkuMeter: null,
    SkuPriceDetails: null,
    SkuPriceId: null,
  };
}

/** Divides, rounded to as many decimals as the files have. */
function quotient(dividend: Decimal, divisor: Decimal): Decimal {
  if (divisor.digits === 0n) return { digits: 0n, scale: 0 };
  const digits = dividend.digits * 10n ** BigInt(FOCUS_SCALE + divisor.scale - dividend.scale);
  return { digits: (digits + divisor.digits / 2n) / divisor.digits, scale: FOCUS_SCALE };
}

const MILLION = 1_000_000;

function ruleOf(unit: Unit): UnitRule {
  const rule = UNITS.find((candidate) => candidate.unit === unit);
  if (rule === undefined) throw new BillError(`${unit} is not a unit`);
  return rule;
}

/** Returns the plural of the unit's last word with a capital: "Tokens", "Requests". */
function nounOf({ one }: UnitRule): string {
  const word = one.split(' ').at(-1) ?? one;
  return `${word.charAt(0).toUpperCase()}${word.slice(1)}s`;
}

/** Divides by 1, 1,000 or 1,000,000. */
function divideByPower(quantity: bigint, power: number): Decimal {
  return { digits: quantity, scale: String(power).length - 1 };
}

function monthOf(timeMs: number): [start: Date, end: Date] {
  const at = new Date(timeMs);
  const [year, month] = [at.getUTCFullYear(), at.getUTCMonth()];
  return [new Date(Date.UTC(year, month)), new Date(Date.UTC(year, month + 1))];
}

/** Formats a value for CSV. Times are in whole seconds. */
export function focusText(value: FocusRow[FocusColumnName]): string {
  if (value === null) return '';
  if (value instanceof Date) return value.toISOString().replace(/\.\d+Z$/, 'Z');
  return typeof value === 'string' ? value : formatDecimal(value);
}
