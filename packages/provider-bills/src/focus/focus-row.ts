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
  unit: Unit;
  quantity: bigint;
  /** US dollars for as many units as the price in the catalog is for; "0" if the unit is free. */
  unitPriceUsd: string;
  /** Charged by the provider or to the account, by `FocusOptions.view`. */
  billedNanoUsd: bigint;
  tags: Readonly<Record<string, string>>;
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
const MILLION = 1_000_000;

/** Converts usage to a row. List price and contracted price are equal. */
export function focusRow(usage: FocusUsage, { billingAccount, operator, view }: FocusOptions): FocusRow {
  const { account, key, model, provider, region, serviceTier, tags } = usage;
  const rule = ruleOf(usage.unit);
  const price = parseDecimal(usage.unitPriceUsd);
  if (price === undefined) throw new BillError(`"${usage.unitPriceUsd}" is not a price`);
  const noun = nounOf(rule);
  const isMillions = rule.price.per === MILLION;
  const priced = divideByPower(usage.quantity, rule.price.per);
  const listed: Decimal = { digits: price.digits * priced.digits, scale: price.scale + priced.scale };
  const billed: Decimal = { digits: usage.billedNanoUsd, scale: NANO_SCALE };
  const sku = `${model.id}/${rule.json}`;
  const issuer = view === 'cost' ? provider : operator;
  const pricingUnit = isMillions ? `${MILLION} ${noun}` : noun;
  const [periodStart, periodEnd] = monthOf(usage.startTimeMs);
  return {
    BilledCost: billed,
    BillingAccountId: billingAccount.id,
    BillingAccountName: billingAccount.name,
    BillingCurrency: 'USD',
    BillingPeriodEnd: periodEnd,
    BillingPeriodStart: periodStart,
    ChargeCategory: 'Usage',
    ChargeClass: null,
    ChargeDescription: `${rule.title} of ${model.name ?? model.id} at ${usage.unitPriceUsd} USD per ${pricingUnit}`,
    ChargeFrequency: 'Usage-Based',
    ChargePeriodEnd: new Date(usage.endTimeMs),
    ChargePeriodStart: new Date(usage.startTimeMs),
    CommitmentDiscountStatus: null,
    ConsumedQuantity: divideByPower(usage.quantity, rule.shownPer),
    ConsumedUnit: noun,
    ContractedCost: listed,
    ContractedUnitPrice: price,
    EffectiveCost: billed,
    InvoiceId: null,
    InvoiceIssuerName: issuer,
    ListCost: listed,
    ListUnitPrice: price,
    PricingCategory: 'Standard',
    PricingCurrency: 'USD',
    PricingCurrencyContractedUnitPrice: price,
    PricingCurrencyEffectiveCost: billed,
    PricingCurrencyListUnitPrice: price,
    PricingQuantity: priced,
    PricingUnit: pricingUnit,
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
    SkuId: sku,
    SkuMeter: rule.title,
    SkuPriceDetails: serviceTier === null ? null : JSON.stringify({ x_ServiceTier: serviceTier }),
    SkuPriceId: serviceTier === null ? sku : `${sku}/${serviceTier}`,
    SubAccountId: account.id,
    SubAccountName: account.name ?? account.id,
    Tags: Object.keys(tags).length === 0 ? null : JSON.stringify(tags),
    x_KeyId: key?.id ?? null,
    x_KeyName: key?.name ?? null,
    x_ServiceTier: serviceTier,
  };
}

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
