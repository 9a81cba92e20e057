/** The type of a column. Decimals are exact, times are in UTC. */
export type FocusType = 'string' | 'decimal' | 'time' | 'json';

interface FocusColumn {
  type: FocusType;
  isNullable: boolean;
}

const text = { type: 'string', isNullable: false } as const;
const textOrNull = { type: 'string', isNullable: true } as const;
const decimal = { type: 'decimal', isNullable: false } as const;
const decimalOrNull = { type: 'decimal', isNullable: true } as const;
const time = { type: 'time', isNullable: false } as const;
const jsonOrNull = { type: 'json', isNullable: true } as const;

/**
 * The columns of FOCUS 1.2 (https://focus.finops.org/focus-specification/v1-2/) that apply to usage of
 * models, in alphabetical order, and then the gateway's own. Leaves out columns for commitment discounts,
 * reserved capacity and availability zones, except for CommitmentDiscountStatus: it is always null, but the
 * rules for ConsumedQuantity refer to it.
 */
export const FOCUS_COLUMNS = {
  BilledCost: decimal,
  BillingAccountId: text,
  BillingAccountName: textOrNull,
  BillingCurrency: text,
  BillingPeriodEnd: time,
  BillingPeriodStart: time,
  ChargeCategory: text,
  ChargeClass: textOrNull,
  ChargeDescription: textOrNull,
  ChargeFrequency: text,
  ChargePeriodEnd: time,
  ChargePeriodStart: time,
  CommitmentDiscountStatus: textOrNull,
  ConsumedQuantity: decimalOrNull,
  ConsumedUnit: textOrNull,
  ContractedCost: decimal,
  ContractedUnitPrice: decimalOrNull,
  EffectiveCost: decimal,
  InvoiceId: textOrNull,
  InvoiceIssuerName: text,
  ListCost: decimal,
  ListUnitPrice: decimalOrNull,
  PricingCategory: textOrNull,
  PricingCurrency: text,
  PricingCurrencyContractedUnitPrice: decimalOrNull,
  PricingCurrencyEffectiveCost: decimal,
  PricingCurrencyListUnitPrice: decimalOrNull,
  PricingQuantity: decimalOrNull,
  PricingUnit: textOrNull,
  ProviderName: text,
  PublisherName: text,
  RegionId: textOrNull,
  RegionName: textOrNull,
  ResourceId: textOrNull,
  ResourceName: textOrNull,
  ResourceType: textOrNull,
  ServiceCategory: text,
  ServiceName: text,
  ServiceSubcategory: text,
  SkuId: textOrNull,
  SkuMeter: textOrNull,
  SkuPriceDetails: jsonOrNull,
  SkuPriceId: textOrNull,
  SubAccountId: textOrNull,
  SubAccountName: textOrNull,
  Tags: jsonOrNull,
  x_KeyId: textOrNull,
  x_KeyName: textOrNull,
  x_ServiceTier: textOrNull,
} as const satisfies Record<string, FocusColumn>;

export type FocusColumnName = keyof typeof FOCUS_COLUMNS;

export const FOCUS_COLUMN_NAMES = Object.keys(FOCUS_COLUMNS).filter(
  (name) => name in FOCUS_COLUMNS,
) as readonly FocusColumnName[];
