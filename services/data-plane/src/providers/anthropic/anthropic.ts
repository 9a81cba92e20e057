import type { ProviderDialect } from '../dialect.ts';
import { chat } from './chat.ts';
import { head, probe } from './head.ts';
import { refusal, refusalDetails } from './refusal.ts';

/** Anthropic's API: Messages. */
export const anthropic: ProviderDialect = {
  head,
  probe,
  requestIdHeader: 'request-id',
  refusal,
  refusalDetails,
  endpoints: { chat },
};
