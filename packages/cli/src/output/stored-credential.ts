import type { StoredCredentialMessage } from '@model-gateway/contracts';
import { timestampOrNull } from './timestamp.ts';

/** `unreadable`: stored, but sealed with another pepper. `unknown`: no data plane has replied. */
type Source = 'stored' | 'environment' | 'missing' | 'unknown' | 'unreadable';

export interface StoredCredentialJson {
  name: string;
  source: Source;
  /** The time when it was stored; null: it is not stored. */
  set_at: string | null;
  last_four: string | null;
  /** Providers of the catalog that name it. */
  providers: string[];
  /** Numbers of data planes that have a variable of that name, lack it, or have not replied. */
  environment: { set: number; missing: number; unknown: number };
}

export function storedCredentialJson(message: StoredCredentialMessage): StoredCredentialJson {
  return {
    name: message.name,
    source: sourceOf(message),
    set_at: timestampOrNull(message.setAtMs),
    last_four: message.lastFour ?? null,
    providers: message.providerIds,
    environment: { set: message.setIn, missing: message.missingIn, unknown: message.unknownIn },
  };
}

function sourceOf({ missingIn, setAtMs, setIn, unreadable }: StoredCredentialMessage): Source {
  if (unreadable) return 'unreadable';
  if (setAtMs !== undefined) return 'stored';
  if (setIn > 0) return 'environment';
  return missingIn > 0 ? 'missing' : 'unknown';
}

export function sourceText({ environment, source }: StoredCredentialJson): string {
  const { set, missing, unknown } = environment;
  const planes = `${set} of ${set + missing + unknown} data planes`;
  if (source === 'unreadable') return 'stored with another pepper: set it again';
  if (source === 'stored') return set === 0 ? 'stored' : `stored, instead of the variable of ${planes}`;
  if (source === 'environment') return `environment of ${planes}`;
  return source === 'missing' ? 'nowhere: it is missing' : 'not known: no data plane has replied';
}
