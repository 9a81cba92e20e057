import {
  type BillPart,
  type FetchBillOptions,
  fetchAnthropicBill,
  fetchOpenAiBill,
  readBill,
} from '@model-gateway/provider-bills';

/** Providers that have an API for bills, with the variable of their admin key. */
export const BILL_APIS = {
  openai: { fetch: fetchOpenAiBill, adminKeyEnv: 'OPENAI_ADMIN_KEY' },
  anthropic: { fetch: fetchAnthropicBill, adminKeyEnv: 'ANTHROPIC_ADMIN_KEY' },
} as const;
export type BillApi = keyof typeof BILL_APIS;

/** Returns the API for the bill of a provider; undefined: it has none, so an export is needed. */
export function billApiOf(provider: { kind: string; baseUrl: string }): BillApi | undefined {
  if (provider.kind === 'anthropic') return 'anthropic';
  const { hostname } = new URL(provider.baseUrl);
  const isOpenAi = hostname === 'api.openai.com' || hostname.endsWith('.api.openai.com');
  return provider.kind === 'openai-compatible' && isOpenAi ? 'openai' : undefined;
}

/** Fetches the bill of a time. @throws BillError */
export function fetchBill(api: BillApi, options: FetchBillOptions): AsyncIterable<BillPart> {
  return BILL_APIS[api].fetch(options);
}

/** Reads exports one after another, such as one of usage and one of costs. @throws BillError */
export async function* readBills(paths: readonly string[]): AsyncGenerator<BillPart> {
  for (const path of paths) yield* readBill(path);
}

/**
 * Reads exports that may overlap: of each format, the lines of a day are read from the first file that has
 * any. @throws BillError
 */
export async function* readOverlappingBills(paths: readonly string[]): AsyncGenerator<BillPart> {
  const chosen = new Map<string, string>();
  for (const path of paths) {
    for await (const part of readBill(path)) {
      const lines = part.lines.filter(({ day }) => {
        const key = `${part.format.name} ${day}`;
        const first = chosen.get(key) ?? path;
        chosen.set(key, first);
        return first === path;
      });
      if (lines.length > 0) yield { ...part, lines };
    }
  }
}
