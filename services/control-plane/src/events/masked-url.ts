import { includesScope } from '@model-gateway/shared/access';
import type { Actor } from '../actors/actor.ts';

/** Characters of path and query that are shown, such as `/webhooks`. */
const SHOWN = 9;

/** Returns the beginning of a URL: the rest may be a secret, as in the URLs of Slack. */
export function maskedUrl(url: string): string {
  const { origin, pathname, protocol, search } = new URL(url);
  const rest = `${pathname}${search}`;
  return protocol === 'mailto:' || rest.length <= SHOWN ? url : `${origin}${rest.slice(0, SHOWN)}…`;
}

/** Returns a webhook without the end of its URL. */
export function withMaskedUrl<Webhook extends { url: string }>(webhook: Webhook): Webhook {
  return { ...webhook, url: maskedUrl(webhook.url) };
}

/** Returns a webhook as a caller sees it: auditors, and users who look at an account, see a masked URL. */
export function webhookFor<Webhook extends { url: string }>(actor: Actor, webhook: Webhook): Webhook {
  const isMasked =
    (actor.type === 'console_user' && !includesScope(actor.scopes, 'events:write')) ||
    (actor.type === 'user' && actor.isViewing === true);
  return isMasked ? withMaskedUrl(webhook) : webhook;
}
